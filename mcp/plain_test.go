package mcp

import "testing"

// Claude Code and Codex show their model only the structured form of a result that has one, others show both.
func TestResultsAreTextAlone(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Structured = false })
	session := f.shop(t)
	c := connect(t, f.Server, "tester")
	for _, tool := range listed(t, c) {
		if tool.RawOutputSchema != nil || tool.OutputSchema.Type != "" {
			t.Errorf("%s has an output schema", tool.Name)
		}
	}
	for _, x := range []struct {
		tool string
		args args
		want string
	}{
		{"changes", args{"path": "nothing-there"}, "no changes are known"},
		{"context_status", args{"session": session}, "tokens"},
		{"memory", args{"action": "list"}, "no memory found"},
		{"compact_conversation", args{"session": session, "return": "receipt"}, "compacted"},
		{"compact_conversation", args{"session": session, "return": "messages"}, `"messages":[{`},
		{"read_artifact", args{"id": session, "head": 2}, "lines"},
	} {
		r := try(t, c, x.tool, x.args)
		if r.StructuredContent != nil || r.IsError {
			t.Errorf("%s %v: %+v", x.tool, x.args, r)
		}
		contains(t, textOf(t, r), x.want)
	}
}
