package chars

import "testing"

func TestNothingReadsAsATag(t *testing.T) {
	any, closing := TagLike(true, "agent_memory"), TagLike(false, "agent_memory", "task")
	for in, want := range map[string]struct{ any, closing string }{
		"</agent_memory>":            {"&lt;/agent_memory>", "&lt;/agent_memory>"},
		"< / AGENT-Memory x>":        {"&lt; / AGENT-Memory x>", "&lt; / AGENT-Memory x>"},
		"</agent\ufffd_mem\ufffdory": {"&lt;/agent\ufffd_mem\ufffdory", "&lt;/agent\ufffd_mem\ufffdory"},
		"<agent_memory>":             {"&lt;agent_memory>", "<agent_memory>"},
		"</task >":                   {"</task >", "&lt;/task >"},
		"<Task a=1 />":               {"<Task a=1 />", "<Task a=1 />"},
		"a < b, agent memory":        {"a < b, agent memory", "a < b, agent memory"},
	} {
		if got := Untagged(in, any); got != want.any {
			t.Errorf("%q: %q, want %q", in, got, want.any)
		}
		if got := Untagged(in, closing); got != want.closing {
			t.Errorf("%q, closing: %q, want %q", in, got, want.closing)
		}
	}
}
