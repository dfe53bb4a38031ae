package mcp

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/window"
)

// rounds is a conversation: a task, reads of files with a long text each, a file that is read and then written, words of
// two agents, and a last turn.
func rounds() []any {
	all := []any{args{"role": "user", "content": "Task: mend the parser."}}
	call := func(id, name string, input args, result string) {
		all = append(all, args{"role": "assistant", "content": []any{
			args{"type": "tool_use", "id": id, "name": name, "input": input}}},
			args{"role": "user", "content": []any{args{"type": "tool_result", "tool_use_id": id, "content": result}}})
	}
	for i := range 14 {
		call(fmt.Sprint("r", i), "Read", args{"file_path": fmt.Sprintf("src/f%d.go", i)},
			fmt.Sprintf("file %d: ", i)+strings.Repeat("word ", 2_000))
	}
	call("big", "Bash", args{"command": "make"}, strings.Repeat("a line of the build\n", 3_000))
	call("w1", "Write", args{"file_path": "src/f0.go", "content": strings.Repeat("new content ", 500)}, "ok")
	return append(all,
		args{"role": "assistant", "name": "critic", "content": "The critic objects to names."},
		args{"role": "user", "content": "Second request: go on."},
		args{"role": "assistant", "name": "planner", "content": "The planner answers."},
		args{"role": "user", "content": "Third request: finish."})
}

// TestMessagesShowWhatEveryPassDid: with return=messages a caller gets the view, also if nothing is compacted.
func TestMessagesShowWhatEveryPassDid(t *testing.T) {
	none := func() window.Policy {
		p := window.Default()
		p.Clear.Trigger, p.ResultChars = 0, 0
		return p
	}
	for name, c := range map[string]struct {
		policy func(p *window.Policy)
		has    []string
		hasNot []string
	}{
		"large results are offloaded": {
			func(*window.Policy) {}, []string{"[result offloaded"}, nil},
		"results are capped": {
			func(p *window.Policy) { p.ResultChars = 500 },
			[]string{"truncated"}, []string{strings.Repeat("word ", 200)}},
		"old results are cleared": {
			func(p *window.Policy) { p.Clear.Trigger = .01 }, []string{"[cleared: Read(src/f0.go)"}, nil},
		"old turns go": {
			func(p *window.Policy) { p.Turns, p.Exact = 2, true }, []string{"Second request"}, []string{"src/f3.go"}},
		"old messages go": {
			func(p *window.Policy) { p.Messages, p.Exact = 3, true }, []string{"Third request"}, []string{"src/f3.go"}},
		"agents are excluded": {
			func(p *window.Policy) { p.ExcludeAgents = []string{"Critic"} }, []string{"planner answers"},
			[]string{"critic objects", "tool_use"}},
		"only texts stay": {
			func(p *window.Policy) { p.TextOnly = true },
			[]string{"critic objects"}, []string{"tool_use", "tool_result"}},
	} {
		t.Run(name, func(t *testing.T) {
			policy := none()
			c.policy(&policy)
			f := fixtureWith(t, engine.Settings{Policy: &policy}, nil)
			r, _ := do[compactResult](t, connect(t, f.Server, "tester"), "compact_conversation", args{
				"messages": rounds(), "model": "gpt-4o", "mode": "auto", "return": "messages"})
			var shown strings.Builder
			for _, m := range r.Messages {
				shown.Write(m)
			}
			if len(r.Messages) == 0 {
				t.Fatalf("no messages: %+v", r)
			}
			contains(t, shown.String(), c.has...)
			for _, gone := range c.hasNot {
				if strings.Contains(shown.String(), gone) {
					t.Errorf("%.60q is still there", gone)
				}
			}
		})
	}
}
