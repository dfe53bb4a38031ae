package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/memory"
)

const guid = "0f3c9a7be1d244660f3c9a7be1d24466"

func TestFormatIsExactlyAsDocumented(t *testing.T) {
	e := memory.Entry{
		GUID: guid, Name: "preferred_test_runner", Description: "Use go test -race for all runs", Type: "project",
		Body: "Use `go test -race ./...` for all test runs.",
	}
	want := `---
guid: 0f3c9a7be1d244660f3c9a7be1d24466
name: preferred_test_runner
description: Use go test -race for all runs
type: project
---

Use ` + "`go test -race ./...`" + ` for all test runs.
`
	if got := string(memory.Format(e)); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestParseReadsWhatOthersWrite(t *testing.T) {
	cases := []struct {
		name, file               string
		entry, description, body string // entry is "name|type|guid"
		problems                 string
	}{
		{"unquoted colon", "---\nname: Use: this\ndescription: a: b # c\n---\nx\n", "Use: this|project|", "a: b # c",
			"x", ""},
		{"CRLF", "---\r\nname: n\r\ntype: user\r\n---\r\n\r\na\r\nb\r\n", "n|user|", "", "a\nb", ""},
		{"tabs", "---\nname:\tn\t\ndescription\t:\td\n---\n", "n|project|", "d", "", ""},
		{"byte order mark", "\uFEFF---\nname: n\n---\n", "n|project|", "", "", ""},
		{"a body line that starts with ---", "---\nname: n\n---\n\n--- a/Foo.cs\n+++ b/Foo.cs\n---\nend\n",
			"n|project|", "", "--- a/Foo.cs\n+++ b/Foo.cs\n---\nend", ""},
		{"a longer rule in the front matter does not end it", "---\nname: n\n----\n---\nx", "n|project|", "", "x",
			"3: not a line of the form key: value, ignored"},
		{"links in the body", "---\nname: n\n---\n\n[link](x)\n", "n|project|", "", "[link](x)", ""},
		{"double quotes", "---\nname: \"a \\\"b\\\" \\u00e9\"\n---\n", "a \"b\" é|project|", "", "", ""},
		{"YAML's own escapes", "---\nname: \"a\\_b\\Lc\"\n---\n", "a\u00a0b\u2028c|project|", "", "", ""},
		{"single quotes", "---\nname: 'it''s'\n---\n", "it's|project|", "", "", ""},
		{"quotes that are none", "---\nname: \"a\" and \"b\"\ndescription: 'a' or 'b'\n---\n",
			"\"a\" and \"b\"|project|", "'a' or 'b'", "", ""},
		{"folded text", "---\nname: n\ndescription: >-\n  two\n  lines\n---\n", "n|project|", "two lines", "", ""},
		{"other keys", "---\nname: n\nmood: x\nNAME2: y\n---\n", "n|project|", "", "",
			`the field "mood" is not kept; the field "name2" is not kept`},
		{"keys in any case", "---\nGuid: " + strings.ToUpper(guid) + "\nName: n\nTYPE: preference\n---\n",
			"n|preference|" + guid, "", "", ""},
		{"a guid that is none", "---\nguid: 12\nname: n\n---\n", "n|project|", "", "", ""},
		{"comments and empty lines", "---\n# about\n\nname: n\n---\n", "n|project|", "", "", ""},
		{"invalid bytes", "---\nname: n\xff\n---\n", "n\uFFFD|project|", "", "", "bytes that are not UTF-8 " +
			"became U+FFFD"},
		{"no final newline", "---\nname: n\n---", "n|project|", "", "", ""},
		{"numbers are text", "---\nname: 007\n---\n", "007|project|", "", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e, problems, err := memory.Parse([]byte(c.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Name + "|" + e.Type + "|" + e.GUID; got != c.entry || e.Description != c.description ||
				e.Body != c.body {
				t.Errorf("got %q, %q, %q", got, e.Description, e.Body)
			}
			if got := said(problems); got != c.problems {
				t.Errorf("problems %q", got)
			}
		})
	}
}

// said joins problems as text.
func said(problems []memory.Problem) string {
	var all []string
	for _, p := range problems {
		s := p.Message
		if p.Line > 0 {
			s = fmt.Sprintf("%d: %s", p.Line, s)
		}
		if p.File != "" {
			s = p.File + ":" + s
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

func TestParseRefusesWhatIsNoMemory(t *testing.T) {
	cases := []struct{ name, file, has string }{
		{"empty", "", "does not start with a --- line"},
		{"no front matter", "# Title\n", "does not start with a --- line"},
		{"white space first", "\n---\nname: n\n---\n", "does not start"},
		{"no end", "---\nname: n\n--- \n", "front matter is unclosed"},
		{"no name", "---\ntype: user\n---\nx\n", "no name"},
		{"empty name", "---\nname:\n---\nx\n", "no name"},
		{"blank quoted name", "---\nname: \"\"\n---\nx\n", "no name"},
		{"broken YAML", "---\nname: |\n\tx: [\n---\n", "no name"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := memory.Parse([]byte(c.file))
			wantFault(t, err, fault.Invalid, c.has)
		})
	}
}

func TestFormatQuotesWhatYAMLWouldMisread(t *testing.T) {
	for _, v := range []string{"a: b", "a #b", `"q"`, "'s", "[x]", "a]b)", "{x}", "- x", "? x", "!tag", "&a", "*a",
		"| x", "> x", "%x", "@x", "`x`", "~", "null", "Yes", "1.5", "2026-05-27", "1e5", "0x1f", ".inf", "+.5",
		"3 rules", "-1", "+1", ".5", "=", "true", `back\slash`, "a\u00a0b", "é\u200db", "tr,ue", "---", "#"} {
		e := memory.Entry{GUID: guid, Name: v, Description: v, Type: v}
		file := memory.Format(e)
		front := strings.TrimSuffix(strings.TrimPrefix(string(file), "---\n"), "---\n")
		var doc map[string]any
		if err := yamldoc.Decode([]byte(front), &doc); err != nil || doc["name"] != v || doc["description"] != v ||
			doc["type"] != v {
			t.Errorf("%q: a YAML reader gets %v, %v", v, doc, err)
		}
		if got, problems, err := memory.Parse(file); err != nil || got.Name != v || len(problems) > 0 {
			t.Errorf("%q: got %q, %v, %v", v, got.Name, problems, err)
		}
	}
}

// roundTrips are entries whose text is hard to write.
var roundTrips = []struct{ name, description, kind, body string }{
	{"plain", "a description", "project", "body"},
	{"n", "", "user", ""},
	{"Use: this", "a: b # c", "feedback", "--- a/x\n---\n+++ b\n"},
	{"a]b)c", "[link](x)", "reference", "[link](x)"},
	{"</agent_memory>", "</agent_memory>", "x", "</agent_memory>\n\n"},
	{"---", "---", "---", "---"},
	{"n", "d", "t", "\n\nleading and trailing\n\n"},
	{"n", "d", "t", "\n"},
	{"n", "d", "t", "a\r\nb\r\n"},
	{"n", "d", "t", "\uFEFFbody\ttab \x00"},
	{`"quoted"`, `'single'`, "true", "# Title"},
	{`back\`, `\u0041`, "null", "x"},
}

func TestInvariant1RoundTripOfMarkdown(t *testing.T) {
	for _, r := range roundTrips {
		checkRoundTrip(t, r.name, r.description, r.kind, r.body)
	}
}

// checkRoundTrip fails unless an entry survives Format and Parse.
func checkRoundTrip(t *testing.T, name, description, kind, body string) {
	t.Helper()
	e := memory.Entry{GUID: guid, Name: name, Description: description, Type: kind, Body: body}
	file := memory.Format(e)
	got, problems, err := memory.Parse(file)
	if err != nil || got != e || len(problems) > 0 {
		t.Fatalf("got  %+v\nwant %+v\nproblems %v, %v, file\n%s", got, e, problems, err, file)
	}
}

func FuzzInvariant1MarkdownRoundTrip(f *testing.F) {
	for _, r := range roundTrips {
		f.Add(r.name, r.description, r.kind, r.body)
	}
	s := storetest.Open(f)
	f.Fuzz(func(t *testing.T, name, description, kind, body string) {
		e := entry(name, description, body)
		e.Type = kind
		saved, err := save(t, s, e, true)
		if err != nil {
			return // only what can be stored has to survive
		}
		checkRoundTrip(t, saved.Name, saved.Description, saved.Type, saved.Body)
	})
}

func FuzzParseNeverPanics(f *testing.F) {
	f.Add([]byte("---\nname: n\ndescription: |\n  x\n---\n\nbody\n"))
	f.Add([]byte("---\r\nname: \"\\x\r\n---"))
	f.Fuzz(func(t *testing.T, file []byte) {
		e, _, err := memory.Parse(file)
		if err == nil && e.Name == "" || err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Fatalf("got %+v, %v", e, err)
		}
	})
}
