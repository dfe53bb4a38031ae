package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"

	"ctxledger.dev/internal/chars"
)

func TestWrongArgumentsAreNamedAndTheRightFormIsShown(t *testing.T) {
	cases := []struct {
		name, tool string
		a          args
		want       []string
	}{
		{"missing", "read_artifact", args{}, []string{`argument "id" is missing`, `hint: the right form: {"id": "`}},
		{"empty where required", "read_artifact", args{"id": ""}, []string{`argument "id" is missing`}},
		{"null where required", "read_artifact", args{"id": nil}, []string{`argument "id" is missing`}},
		{"missing action", "memory", args{"name": "x"}, []string{`argument "action" is missing`, `"action": "recall"`}},
		{"unknown enum", "memory", args{"action": "frob"},
			[]string{`"action" is the string "frob"`, "save, recall, get, list, delete"}},
		{"unknown scope", "memory", args{"action": "list", "scope": "world"}, []string{`"scope"`, "project, user"}},
		{"wrong type: string for number", "read_artifact", args{"id": "x", "head": "ten"},
			[]string{`"head" is the string "ten"`, "a whole number", `"head": 40`}},
		{"wrong type: fraction", "read_artifact", args{"id": "x", "head": 1.5},
			[]string{`"head" is 1.5`, "a whole number"}},
		{"wrong type: huge", "read_artifact", args{"id": "x", "limit": 1e300}, []string{`"limit"`, "a whole number"}},
		{"wrong type: fraction for string", "read_artifact", args{"id": 1.5},
			[]string{`"id" is 1.5`, "a string", `"id": "`}},
		{"since when", "changes", args{"since": "yesterday"}, []string{"invalid:", "yesterday", "2h"}},
		{"wrong type: object for string", "context_status", args{"session": args{}},
			[]string{`"session" is an object`}},
		{"wrong type: string for boolean", "compact_conversation", args{"dry_run": "yes"},
			[]string{`"dry_run" is the string "yes"`, "true or false"}},
		{"wrong type: string for array", "compact_conversation", args{"messages": "hi"},
			[]string{`"messages" is the string "hi"`, "an array of objects", `"role": "user"`}},
		{"wrong type: numbers in array", "compact_conversation", args{"pin": []int{1}},
			[]string{`"pin" is an array`, "an array of strings"}},
		{"unknown", "changes", args{"file": "x"},
			[]string{`unknown argument "file"`, "limit, path, session, since"}},
		{"unknown but close", "compact_conversation", args{"keepTurns": 2},
			[]string{`unknown argument "keepTurns": use "keep_turns"`}},
		{"another case", "read_artifact", args{"ID": "x", "id": "y"},
			[]string{`unknown argument "ID": use "id"`}},
		{"two wrong at once", "changes", args{"limit": "x", "frob": 1}, []string{`"limit"`, `"frob"`}},
		{"two selections", "read_artifact", args{"id": "x", "head": 1, "grep": "y"}, []string{"not_found:"}},
		{"limit too high", "changes", args{"limit": 201}, []string{"invalid:", `"limit"`, "200"}},
		{"negative limit", "changes", args{"limit": -1}, []string{"invalid:", `"limit"`}},
		{"memory limit", "memory", args{"action": "list", "limit": 100_000}, []string{"invalid:", `"limit"`}},
		{"save without a name", "memory", args{"action": "save", "body": "x"},
			[]string{`argument "name" is missing`, "action save needs it"}},
		{"save without a body", "memory", args{"action": "save", "name": "x"},
			[]string{`argument "body" is missing`, `{"action": "save", "name": "…", "body": "…"}`}},
		{"recall without a query", "memory", args{"action": "recall", "query": " "},
			[]string{`argument "query" is missing`}},
		{"control characters are not echoed", "memory", args{"action": "\x1b[2J"}, []string{`"action"`}},
	}
	inEachEra(t, func(t *testing.T, _ *fixture, c *client.Client) {
		for _, x := range cases {
			t.Run(x.name, func(t *testing.T) {
				text := refused(t, c, x.tool, x.a)
				contains(t, text, x.want...)
				if strings.Contains(text, "{}") {
					t.Errorf("%q shows nothing as the right form", text)
				}
				if strings.ContainsFunc(text, chars.Hostile) {
					t.Errorf("%q holds control characters", text)
				}
			})
		}
		t.Run("null where optional", func(t *testing.T) {
			do[changesResult](t, c, "changes", args{"limit": nil, "path": nil})
		})
		t.Run("numbers in quotes, and texts that are numbers without", func(t *testing.T) {
			do[changesResult](t, c, "changes", args{"limit": "5", "since": 120})
			do[changesResult](t, c, "changes", args{"since": "2h"})
			contains(t, refused(t, c, "read_artifact", args{"id": 123456789012}), `not_found`, `"123456789012"`)
		})
		t.Run("no arguments at all", func(t *testing.T) {
			do[changesResult](t, c, "changes", nil)
		})
	})
}

func TestArgumentsKeepTheirBytes(t *testing.T) {
	s, err := parseSchema(compactTool())
	if err != nil {
		t.Fatal(err)
	}
	const messages = `[ {"role" :"user","content":"a < b \u003c \/ é"} , {"x": 1e2} ]`
	got, err := s.check("compact_conversation",
		[]byte(` {"session": null, "messages": `+messages+` , "return":"splice"}`))
	if want := `{"messages":` + messages + `,"return":"splice"}`; err != nil || string(got) != want {
		t.Errorf("%v: %s, not %s", err, got, want)
	}
	for _, bad := range []string{`[]`, `"x"`, `7`, `{"notes":"a","notes":"b"}`} {
		if _, err := s.check("compact_conversation", []byte(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestArgumentsInAnotherForm: hosts that hand over an array or object as a string, and whole numbers as
// floating-point ones (anthropics/claude-code#22394, openclaw/openclaw#96922).
func TestArgumentsInAnotherForm(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{ // of a property "v"; want "": refused
		{"array of objects", `"[{\"role\":\"user\"}]"`, `[{"role":"user"}]`},
		{"array of objects", `" [ ] "`, `[ ]`},
		{"array of objects", `"{\"role\":\"user\"}"`, ""},
		{"array of objects", `["{\"role\":\"user\"}", {"a": "\u2014"}]`, `[{"role":"user"},{"a": "\u2014"}]`},
		{"array of objects", `[{"a":1}, "{\"b\":2}"]`, `[{"a":1},{"b":2}]`},
		{"array of objects", `"[\"{\\\"role\\\":\\\"user\\\"}\"]"`, `[{"role":"user"}]`},
		{"array of objects", `["hi"]`, `["hi"]`},
		{"array of objects", `"[{]"`, ""},
		{"array of objects", `"hi"`, ""},
		{"array of strings", `"[\"a\", \"\u00e9\\u2014\"]"`, `["a", "é\u2014"]`},
		{"array of strings", `"[1]"`, ""},
		{"array of strings", `"a"`, ""},
		{"array of strings", `["[\"a\"]"]`, `["[\"a\"]"]`},
		{"integer", `5.0`, `5`},
		{"integer", `"5.000"`, `5`},
		{"integer", `-0.0`, `-0`},
		{"integer", `5`, `5`},
		{"integer", `5.5`, ""},
		{"integer", `"5."`, ""},
		{"integer", `"5.0.0"`, ""},
		{"integer", `".0"`, ""},
		{"integer", `99999999999.0`, ""},
		{"integer", `"[5]"`, ""},
		{"boolean", `"true"`, `true`},
		{"boolean", `1.0`, ""},
		{"string", `"[\"a\"]"`, `"[\"a\"]"`},
		{"string", `"{\"a\":1}"`, `"{\"a\":1}"`},
		{"string", `"5.0"`, `"5.0"`},
		{"string", `["a"]`, ""},
	} {
		var p property
		kind, of, _ := strings.Cut(c.name, " of ")
		p.Type, p.Items.Type = kind, strings.TrimSuffix(of, "s")
		s := schema{Properties: map[string]property{"v": p}}
		want := `{"v":` + c.want + `}`
		for how, arguments := range map[string]string{
			"": `{"v":` + c.given + `}`, "all of them in a string, ": inString(c.given),
		} {
			got, err := s.check("tool", []byte(arguments))
			if (err == nil) != (c.want != "") || err == nil && string(got) != want {
				t.Errorf("%s%s as %s: %s, %v", how, c.given, c.name, got, err)
			}
		}
	}
	inEachEra(t, func(t *testing.T, _ *fixture, c *client.Client) {
		do[compactResult](t, c, "compact_conversation", args{"messages": `[{"role":"user","content":"hi"}]`,
			"pin": `["hi"]`, "keep_turns": "1.0"})
		do[memoryResult](t, c, "memory", args{"action": "list", "limit": json.RawMessage("5.0")})
	})
}

// inString returns the arguments {"v": value} as a string.
func inString(value string) string {
	raw, _ := json.Marshal(`{"v":` + value + `}`)
	return string(raw)
}

// FuzzArguments: what is accepted is decoded as encoding/json does, and nothing else is passed on.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"action":"save","name":"x"}`, `{"action":"list","limit":3}`, `{ "action" : null }`,
		`[]`, `{"action":"get","name":"\u0000"}`} {
		f.Add([]byte(s))
	}
	s, err := parseSchema(memoryTool())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return // the envelope was checked before
		}
		got, err := s.check("memory", raw)
		if raw = parsed(raw, '{'); err != nil {
			return
		}
		var in, out map[string]json.RawMessage
		var a memoryArgs
		if json.Unmarshal(raw, &in) != nil || json.Unmarshal(got, &out) != nil || json.Unmarshal(got, &a) != nil ||
			a.Action == "" {
			t.Fatalf("%q passes as %q", raw, got)
		}
		for name, v := range in {
			if v = s.Properties[name].adapted(v); string(v) != "null" && string(out[name]) != string(v) {
				t.Errorf("%q: %s became %q", raw, name, out[name])
			}
		}
	})
}

// TestEveryPropertyHasAKind: also of objects in objects, so that each value is checked and has an example.
func TestEveryPropertyHasAKind(t *testing.T) {
	var walk func(path string, all map[string]property) int
	walk = func(path string, all map[string]property) (n int) {
		for name, p := range all {
			if _, known := kinds[p.kind()]; !known {
				t.Errorf("%s.%s is of kind %q", path, name, p.kind())
			}
			n += 1 + walk(path+"."+name, p.Properties)
		}
		return n
	}
	n := 0
	for _, o := range operations() {
		sc, err := parseSchema(o)
		if err != nil {
			t.Fatal(err)
		}
		n += walk(o.name, sc.Properties)
	}
	if n < 200 {
		t.Errorf("%d properties", n)
	}
}
