package yamldoc_test

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/yamldoc"
)

func TestDecodeReadsStructsAndMaps(t *testing.T) {
	var s struct {
		Name string   `yaml:"name"`
		List []string `yaml:"list"`
	}
	if err := yamldoc.Decode([]byte("name: a # note\nlist: [x, y]\nother: 1\n"), &s); err != nil {
		t.Fatal(err)
	}
	if s.Name != "a" || len(s.List) != 2 {
		t.Errorf("got %+v", s)
	}
	var m map[string]any
	if err := yamldoc.Decode([]byte("text: >-\n  folded\n  lines\n"), &m); err != nil || m["text"] != "folded lines" {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestDecodeOfNothingLeavesTheValue(t *testing.T) {
	for _, in := range []string{"", "\n\n", "# only a comment\n"} {
		v := map[string]string{"kept": "yes"}
		if err := yamldoc.Decode([]byte(in), &v); err != nil || v["kept"] != "yes" {
			t.Errorf("%q: got %v, %v", in, v, err)
		}
	}
}

func TestDecodeErrorsNameTheLine(t *testing.T) {
	cases := []struct {
		name, in string
		code     fault.Code
		has      string
	}{
		{"syntax", "a: 1\nb: [1, 2\nc: 3\n", fault.Invalid, "line "},
		{"wrong type", "a: 1\nn: word\n", fault.Invalid, "line 2: a number is expected, not `word`"},
		{"a list for a number", "a: 1\nn: [1]\n", fault.Invalid, "line 2: a number is expected, not a list"},
		{"two documents", "a: 1\n---\na: 2\n", fault.Invalid, "line 2: a second YAML document"},
		{"second document broken", "a: 1\n---\na: [\n", fault.Invalid, "line "},
		{"duplicate key", "a: 1\na: 2\n", fault.Invalid, "line 2"},
		{"control character", "a: \x01\n", fault.Invalid, "control characters"},
		{"too long", "a: " + strings.Repeat("x", yamldoc.Max), fault.TooLarge, "1048576"},
		{"alias bomb", bomb(), fault.Invalid, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var v struct {
				A any `yaml:"a"`
				N int `yaml:"n"`
			}
			err := yamldoc.Decode([]byte(c.in), &v)
			if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.has) {
				t.Errorf("got %q (%s)", err, fault.CodeOf(err))
			}
		})
	}
}

// bomb returns a document that would unfold to ten billion values.
func bomb() string {
	var b strings.Builder
	b.WriteString("x0: &x0 [1,1,1,1,1,1,1,1,1,1]\n")
	for i := range 9 {
		p := string(rune('0' + i))
		n := string(rune('1' + i))
		b.WriteString("x" + n + ": &x" + n + " [" + strings.TrimSuffix(strings.Repeat("*x"+p+",", 10), ",") + "]\n")
	}
	b.WriteString("a: *x9\n")
	return b.String()
}

func FuzzDecodeNeverPanics(f *testing.F) {
	f.Add([]byte("a: 1\nb: {c: [d, e]}\n"))
	f.Add([]byte("--- |\n  x\n...\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var v any
		if err := yamldoc.Decode(in, &v); err != nil && fault.CodeOf(err) == fault.Internal {
			t.Errorf("a foreign error came through: %v", err)
		}
	})
}
