package artifacts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
)

const sample = `{
  "name": "x", "n": 1.50e3, "big": 12345678901234567890, "nothing": null, "odd key": true, "it's": 1, "e\u0301": "esc",
  "items": [ {"id": 1, "name": "a", "tags": ["p", "q"]}, {"id": 2, "name": "b"}, {"id": 3, "sub": {"name": "c]"}} ],
  "twice": 1, "twice": 2, "empty": {}, "list": [], "ünï": {"日本": [[1, 2], [3]]}
}`

func TestJSONPathNamesValues(t *testing.T) {
	cases := []struct{ path, text, words string }{
		{"$.name", "\"x\"\n", "1 value"},
		{"$.n", "1.50e3\n", "1 value"},
		{"$.big", "12345678901234567890\n", "1 value"},
		{"$.nothing", "null\n", "1 value"},
		{"$['odd key']", "true\n", "1 value"},
		{`$["odd key"]`, "true\n", "1 value"},
		{`$['it\'s']`, "1\n", "1 value"},
		{"$.e\u0301", "", "0 values: $ has no"},
		{"$['e\u0301']", "\"esc\"\n", "1 value"},
		{"$.items[0]", "{\"id\":1,\"name\":\"a\",\"tags\":[\"p\",\"q\"]}\n", "1 value"},
		{"$.items[-1].id", "3\n", "1 value"},
		{"$.items[0:2].id", "1\n2\n", "2 values"},
		{"$.items[-2:].id", "2\n3\n", "2 values"},
		{"$.items[:-1].id", "1\n2\n", "2 values"},
		{"$.items[2:1]", "", "0 values: $.items has no [2:1]"},
		{"$.items[*].name", "\"a\"\n\"b\"\n", "2 values"},
		{"$.items[*].tags[*]", "\"p\"\n\"q\"\n", "2 values"},
		{"$..name", "\"x\"\n\"a\"\n\"b\"\n\"c]\"\n", "4 values"},
		{"$.items..name", "\"a\"\n\"b\"\n\"c]\"\n", "3 values"},
		{"$.items[3]", "", "0 values: $.items has no [3]"},
		{"$.items[-4]", "", "0 values: $.items has no [-4]"},
		{"$.items.name", "", "0 values: $.items has no .name"},
		{"$.name[0]", "", "0 values: $.name has no [0]"},
		{"$.nmae.x", "", "0 values: $ has no .nmae"},
		{"$.twice", "2\n", "1 value"},
		{"$.empty", "{}\n", "1 value"},
		{"$.empty.*", "", "0 values: $.empty has no .*"},
		{"$.list[*]", "", "0 values: $.list has no [*]"},
		{"$.ünï.日本[*][0]", "1\n3\n", "2 values"},
	}
	for _, c := range cases {
		t.Run(c.path, func(t *testing.T) {
			s := artifacts.Selection{JSONPath: c.path}
			if c.path == "$.e\u0301" { // a combining mark needs quotes
				_, err := artifacts.Read(artifacts.Text([]byte(sample)), s)
				wantFault(t, err, fault.Invalid)
				return
			}
			p := read(t, artifacts.Text([]byte(sample)), s)
			if p.Text != c.text || p.Range != c.words || p.Next != nil {
				t.Errorf("got %q, %q, next %+v", p.Text, p.Range, p.Next)
			}
		})
	}
}

func TestWholeValueAndScalars(t *testing.T) {
	for in, want := range map[string]string{" 7 ": "7", "\uFEFFtrue": "true", `"a b"`: `"a b"`,
		"[ 1 , [ ] ]": "[1,[]]", "-0": "-0"} {
		if p := read(t, artifacts.Text([]byte(in)), artifacts.Selection{JSONPath: "$"}); p.Text != want+"\n" {
			t.Errorf("%q: got %q", in, p.Text)
		}
	}
}

func TestBadJSONPathsShowTheRightForm(t *testing.T) {
	for _, path := range []string{"name", "$name", "$.", "$..", "$...a", "$[", "$[]", "$['a", "$['a'", "$[a]",
		"$[1:2:3]", "$[99999999999999999999]", "$.a b", "$[?(@.x)]", "$..[0]", "$.\xff"} {
		_, err := artifacts.Read(artifacts.Text([]byte(sample)), artifacts.Selection{JSONPath: path})
		wantFault(t, err, fault.Invalid, `json_path="$.items[0].name"`)
	}
}

func TestJSONPathNeedsOneJSONValue(t *testing.T) {
	for _, text := range []string{"", "not json", `{"a":1}` + "\n" + `{"a":2}`, `{"a":`, "[1,]"} {
		_, err := artifacts.Read(artifacts.Text([]byte(text)), artifacts.Selection{JSONPath: "$.a"})
		wantFault(t, err, fault.Invalid, "one JSON value", "grep")
	}
	_, err := artifacts.Read(artifacts.Text(make([]byte, 16<<20+1)), artifacts.Selection{JSONPath: "$"})
	wantFault(t, err, fault.TooLarge, "16,777,216", "16,777,217")
}

func TestJSONPathPagesShowEveryValueOnce(t *testing.T) {
	text := "[" + strings.TrimSuffix(strings.Repeat(`{"v":"0123456789"},`, 100), ",") + "]"
	c := artifacts.Text([]byte(text))
	p := read(t, c, artifacts.Selection{JSONPath: "$[*].v", Limit: 200})
	if p.Range != "15 of 100 values" || p.Next == nil || p.Next.After != 15 {
		t.Errorf("got %q, next %+v", p.Range, p.Next)
	}
	if p = read(t, c, *p.Next); p.Range != "values 16-30 of 100" {
		t.Errorf("got %q", p.Range)
	}
	if all, _ := readAll(t, c, artifacts.Selection{JSONPath: "$[*].v",
		Limit: 200}); all != strings.Repeat("\"0123456789\"\n", 100) {
		t.Errorf("got %q", all)
	}
}

func TestAValueLongerThanAPageIsCutInTheMiddle(t *testing.T) {
	p := read(t, artifacts.Text([]byte(`["`+strings.Repeat("x", 50_000)+`", 2]`)),
		artifacts.Selection{JSONPath: "$[*]"})
	if len(p.Text) > 8100 || !strings.Contains(p.Text, "chars cut]…") || !strings.HasSuffix(p.Text, "x\"\n2\n") {
		t.Errorf("got %d bytes", len(p.Text))
	}
}

func TestHostileNestingIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"x":`, 9000) + `"` + strings.Repeat("v", 1<<20) + `"` + strings.Repeat("}", 9000)
	c := artifacts.Text([]byte(deep))
	if p := read(t, c, artifacts.Selection{JSONPath: "$..x..x..x", Limit: 200}); !strings.HasSuffix(p.Range,
		" of 8,998 values") {
		t.Errorf("got %q", p.Range)
	}
	_, err := artifacts.Read(c, artifacts.Selection{JSONPath: "$..x.y"})
	wantFault(t, err, fault.TooLarge, "too deeply nested")
	wide := artifacts.Text([]byte("[" + strings.Repeat("0,", 1_500_000) + "0]"))
	_, err = artifacts.Read(wide, artifacts.Selection{JSONPath: "$[*]"})
	wantFault(t, err, fault.TooLarge, "1,000,000")
	if p := read(t, wide, artifacts.Selection{JSONPath: "$[-1]"}); p.Text != "0\n" {
		t.Errorf("got %q", p.Text)
	}
}

// FuzzJSONPath checks that any path over any content gives valid JSON lines or an error of ours,
// and that $ gives the whole.
func FuzzJSONPath(f *testing.F) {
	for _, p := range []string{"$", "$..name", "$.items[*].tags[-1:]", "$['a\\'b'][0]", "$.*"} {
		f.Add(sample, p)
	}
	f.Add(`[[],{"":{}},"\\\"",-1e5,[{"name":[{"name":1}]}]]`, "$..name")
	f.Fuzz(func(t *testing.T, text, path string) {
		p, err := artifacts.Read(artifacts.Text([]byte(text)), artifacts.Selection{JSONPath: path, Limit: 40_000})
		if err != nil {
			if c := fault.CodeOf(err); c != fault.Invalid && c != fault.TooLarge {
				t.Fatal(err)
			}
			return
		}
		if strings.Contains(p.Text, "chars cut]") || path == "" {
			return
		}
		for row := range strings.SplitSeq(strings.TrimSuffix(p.Text, "\n"), "\n") {
			if row != "" && !json.Valid([]byte(row)) {
				t.Fatalf("%s of %s: row %q", path, text, row)
			}
		}
	})
}
