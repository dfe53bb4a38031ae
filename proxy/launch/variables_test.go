package launch

import (
	"slices"
	"strings"
	"testing"
)

// TestAnAgentGetsTheAddressOfItsProvider, and no program that it runs that of another one.
func TestAnAgentGetsTheAddressOfItsProvider(t *testing.T) {
	for _, c := range []struct{ agent, has, lacks string }{
		{"claude-code", "ANTHROPIC_BASE_URL=B/anthropic ENABLE_TOOL_SEARCH=true NO_PROXY=corp,127.0.0.1", "OPENAI"},
		{"gemini", "GOOGLE_GEMINI_BASE_URL=B/gemini NO_PROXY=corp,127.0.0.1", "SEARCH"},
		{"codex", "NO_PROXY=corp,127.0.0.1", "BASE_URL"},
		{"mine", "ANTHROPIC_BASE_URL=B/anthropic OPENAI_BASE_URL=B/openai OPENAI_API_BASE=B/openai " +
			"GOOGLE_GEMINI_BASE_URL=B/gemini ENABLE_TOOL_SEARCH=true", "none"},
	} {
		got := strings.Join(variables(c.agent, "B", func(name string) string {
			return map[string]string{"NO_PROXY": "corp"}[name]
		}), " ")
		if !strings.HasPrefix(got, c.has) || strings.Contains(got, c.lacks) {
			t.Errorf("%s gets %s", c.agent, got)
		}
	}
	got := Options{Args: []string{"a"}}.extra("codex", "B")
	if want := []string{"-c", `openai_base_url="B/openai"`, "a"}; !slices.Equal(got, want) ||
		(Options{}).extra("gemini", "B") != nil {
		t.Errorf("Codex gets %q", got)
	}
	if got := (Options{Args: []string{"a"}}).extra("claude-code", "B"); len(got) != 1 || got[0] != "a" {
		t.Errorf("Claude Code gets %q", got)
	}
}
