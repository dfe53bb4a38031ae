package feedback_test

import (
	"testing"

	"ctxledger.dev/compaction/feedback"
)

func TestReportsComeWithoutTheirFooter(t *testing.T) {
	for name, c := range map[string]struct{ result, want string }{
		"footer": {"Two callers.\nagentId: a89e4b2 (for resuming to continue this agent's work if needed)\n" +
			"<usage>total_tokens: 90454\ntool_uses: 38\nduration_ms: 74620</usage>", "Two callers."},
		"id alone": {"Two callers.\n\nagentId: a89e4b2 (for resuming)\n", "Two callers."},
		"nothing":  {"Two callers (both check).", "Two callers (both check)."},
		"words of its own": {"agentId: x (see a.go)\nis logged twice (here)",
			"agentId: x (see a.go)\nis logged twice (here)"},
	} {
		if got := feedback.Report(c.result); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWhatHostsWriteInTheAgentsName(t *testing.T) {
	for text, want := range map[string]bool{
		"No response requested.": true, `API Error: 529 {"type":"error"}`: true,
		"API Errors are retried now.": false, "The log says API Error: 529 twice.": false,
	} {
		if feedback.FromHost(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
