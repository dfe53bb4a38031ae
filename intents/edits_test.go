package intents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// told prints edits, one a line: "path: old => new", with "whole" and "all" where they are.
func told(edits []Edit) string {
	var lines []string
	for _, e := range edits {
		line := fmt.Sprintf("%s: %q => %q", e.Path, e.Old, e.New)
		if e.Whole {
			line += " whole"
		}
		if e.All {
			line += " all"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

const codexPatch = `*** Begin Patch
*** Update File: a.go
@@ func A() {
 keep
-old
+new
@@
-two
*** Add File: b.go
+first
+second
*** Delete File: c.go
*** Update File: d.go
*** Move to: e.go
@@
-x
+y
*** End Patch`

const searchReplace = "<<<<<<< SEARCH\n:start_line:3\n-------\nold\n=======\nnew\n>>>>>>> REPLACE\n\n" +
	"<<<<<<< SEARCH\ntwo\n=======\n>>>>>>> REPLACE\n"

// TestEdits: to add a case, add a row: the call, and what it replaces by what.
func TestEdits(t *testing.T) {
	quoted := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
	for _, c := range []struct{ name, tool, args, want string }{
		{"Claude Code", "Edit", `{"file_path":"/a.go","old_string":"x","new_string":"y"}`, `/a.go: "x" => "y"`},
		{"Claude Code: all", "Edit", `{"file_path":"a.go","old_string":"x","new_string":"y","replace_all":true}`,
			`a.go: "x" => "y" all`},
		{"Claude Code: not all", "Edit", `{"file_path":"a.go","old_string":"x","new_string":"","replace_all":false}`,
			`a.go: "x" => ""`},
		{"Claude Code: several", "MultiEdit", `{"file_path":"a.go","edits":[{"old_string":"x","new_string":"y"},` +
			`{"old_string":"z","new_string":"w","replace_all":true}]}`, `a.go: "x" => "y"` + "\n" +
			`a.go: "z" => "w" all`},
		{"Claude Code: a whole file", "Write", `{"file_path":"a.go","content":"package a\n"}`,
			`a.go: "" => "package a\n" whole`},
		{"a server's tool", "mcp__files__edit_file", `{"path":"a.go","edits":[{"oldText":"x","newText":"y"}]}`,
			`a.go: "x" => "y"`},
		{"an editor", "str_replace_based_edit_tool",
			`{"command":"str_replace","path":"a.go","old_str":"x","new_str":"y"}`, `a.go: "x" => "y"`},
		{"an editor: a new file", "str_replace_editor",
			`{"command":"create","path":"a.go","file_text":"x"}`,
			`a.go: "" => "x" whole`},
		{"an editor that shows", "str_replace_editor", `{"command":"view","path":"a.go"}`, ""},
		{"Gemini", "replace", `{"file_path":"a.go","old_string":"x","new_string":"y"}`, `a.go: "x" => "y"`},
		{"Windsurf", "replace_file_content", `{"TargetFile":"a.go","TargetContent":"x","ReplacementContent":"y"}`,
			`a.go: "x" => "y"`},
		{"Zed", "edit_file", `{"path":"a.go","edits":[{"old_text":"x","new_text":"y"}]}`, `a.go: "x" => "y"`},
		{"Roo: search and replace", "search_and_replace", `{"path":"a.go","search":"x","replace":"y"}`,
			`a.go: "x" => "y"`},
		{"Roo: blocks", "apply_diff", `{"path":"a.go","diff":` + quoted(searchReplace) + `}`,
			`a.go: "old" => "new"` + "\n" + `a.go: "two" => ""`},
		{"Codex", "apply_patch", `{"input":` + quoted(codexPatch) + `}`, `a.go: "keep\nold" => "keep\nnew"` + "\n" +
			`a.go: "two" => ""` + "\n" + `b.go: "" => "first\nsecond" whole` + "\n" + `d.go: "x" => "y"`},
		{"Codex: the patch alone", "apply_patch", quoted(codexPatch), `a.go: "keep\nold" => "keep\nnew"` + "\n" +
			`a.go: "two" => ""` + "\n" + `b.go: "" => "first\nsecond" whole` + "\n" + `d.go: "x" => "y"`},
		{"lines of another system", "apply_patch",
			quoted("*** Begin Patch\r\n*** Update File: a.go\r\n@@\r\n-x\r\n+y\r\n*** End Patch\r\n"),
			`a.go: "x" => "y"`},
		{"no patch", "apply_patch", `{"input":"hello"}`, ""},
		{"a search that never ends", "apply_diff", `{"path":"a.go","diff":"<<<<<<< SEARCH\nold\n"}`, ""},
		{"nothing replaced", "Edit", `{"file_path":"a.go"}`, ""},
		{"forgotten arguments", "Edit", ``, ""},
		{"arguments of another kind", "Edit", `[1,2]`, ""},
		{"a text of another kind", "Edit", `{"file_path":"a.go","old_string":7,"new_string":["y"]}`, ""},
		{"a read", "Read", `{"file_path":"a.go"}`, ""},
		{"a command", "Bash", `{"command":"sed -i s/x/y/ a.go"}`, ""},
		{"an unknown tool", "frobnicate", `{"old_string":"x","new_string":"y"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := told(Edits(c.tool, json.RawMessage(c.args))); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestEditsOfOneCallAreBounded(t *testing.T) {
	one := `{"old_string":"x","new_string":"y"},`
	args := `{"file_path":"a.go","edits":[` + strings.Repeat(one, 500) + strings.TrimSuffix(one, ",") + `]}`
	if n := len(Edits("MultiEdit", json.RawMessage(args))); n != maxEdits {
		t.Errorf("%d edits, want %d", n, maxEdits)
	}
}

// texts returns all strings of decoded arguments, and the decoded JSON in some of them.
func texts(v any, into []string) []string {
	switch v := v.(type) {
	case string:
		into = append(into, v)
		var inner any
		if json.Unmarshal([]byte(v), &inner) == nil {
			if _, text := inner.(string); !text {
				into = texts(inner, into)
			}
		}
	case []any:
		for _, one := range v {
			into = texts(one, into)
		}
	case map[string]any:
		for _, one := range v {
			into = texts(one, into)
		}
	}
	return into
}

// FuzzEdits: each line of an old or new text stands in the decoded arguments, and a text that is no patch as a whole.
func FuzzEdits(f *testing.F) {
	for _, name := range []string{"Edit", "Write", "apply_patch", "apply_diff", "MultiEdit", "str_replace_editor"} {
		f.Add(name, `{"path":"a","old_string":"x","new_string":"y","command":"str_replace","old_str":"q"}`)
		f.Add(name, `{"path":"a","edits":[{"old_string":"x"},{"newText":"y"}],"content":"z",`+
			`"diff":"x SEARCH\n1\n=======\n2\nx REPLACE"}`)
		raw, _ := json.Marshal(codexPatch)
		f.Add(name, string(raw))
		f.Add(name, `{"patch":`+string(raw)+`}`)
	}
	f.Add("Edit", `{"edits":"[{\"old_string\":\"x\"}]","file":"b"}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		edits := Edits(name, json.RawMessage(args))
		if len(edits) > maxEdits {
			t.Fatalf("%d edits", len(edits))
		}
		var decoded any
		if json.Unmarshal([]byte(args), &decoded) != nil && len(edits) > 0 {
			t.Fatalf("edits of arguments that are no JSON: %s", told(edits))
		}
		given := texts(decoded, nil)
		found := func(s string) bool {
			for _, g := range given {
				if strings.Contains(g, s) {
					return true
				}
			}
			return false
		}
		for _, e := range edits {
			for _, text := range []string{e.Path, e.Old, e.New} {
				if found(text) {
					continue
				}
				for line := range strings.SplitSeq(text, "\n") { // of a patch, whose lines have a mark in front
					if !found(line) {
						t.Fatalf("%q of %s is not in %s", line, told([]Edit{e}), args)
					}
				}
			}
		}
	})
}
