package intents

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestWritten(t *testing.T) {
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"Write", `{"file_path":"a","content":"new"}`, []string{"new"}},
		{"mcp__fs__write_file", `{"path":"a","content":"new \\u2014"}`, []string{`new \u2014`}},
		{"Edit", `{"file_path":"a","old_string":"old","new_string":"new"}`, []string{"new"}},
		{"MultiEdit",
			`{"file_path":"a","edits":[{"old_string":"1","new_string":"2"},{"oldText":"3","newText":"4"},{"newText":5},6]}`,
			[]string{"2", "4"}},
		{"str_replace_based_edit_tool", `{"command":"create","path":"a","file_text":"new"}`, []string{"new"}},
		{"str_replace_based_edit_tool", `{"command":"insert","path":"a","insert_text":"new"}`, []string{"new"}},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n@@\n-old\n+new\n same\n+more\n*** End Patch"}`,
			[]string{"new\nmore\n"}},
		{"Bash", `{"command":"cat > a <<E\nnew\nE\n"}`, []string{"new\n"}},
		{"Read", `{"file_path":"a","content":"x"}`, nil},
		{"Write", `{"file_path":"a","content":7}`, nil},
		{"Write", `nothing`, nil},
	} {
		if got := Written(c.name, json.RawMessage(c.args)); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.name, c.args, got, c.want)
		}
	}
}
