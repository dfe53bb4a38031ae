package registry

import (
	"strings"
	"testing"
)

// TestTheTableSaysWhatAgentsCanDo: a session is recorded where an adapter reads its file, and the other abilities have the
// levels that were seen with the real agents (Codex 0.169, Gemini CLI 0.61, Qwen Code 0.24, opencode 1.18, pi 0.73, Cline
// 3.0.65), in the order of the table: tools, recording, shrinking, guarding, context, summary, restoring.
func TestTheTableSaysWhatAgentsCanDo(t *testing.T) {
	levels := map[string]string{
		"claude-code":    "works works works works works works works",
		"claude-desktop": "works cannot cannot cannot cannot cannot cannot",
		"codex":          "works works later later later cannot later",
		"gemini":         "works later later later later cannot later",
		"qwen":           "works later later later later later later",
		"opencode":       "works later later later later later later",
		"pi":             "works later later later later later later",
		"cline":          "works later later later later cannot cannot",
	}
	for _, h := range All() {
		if h.Files == nil {
			continue
		}
		var got []string
		for _, s := range h.Support {
			got = append(got, string(s.Level))
			followed := h.Sessions.Decoder != nil
			if s.Ability == Recording && (s.Level == Works) != followed {
				t.Errorf("%s: recording is %s, and whether its session files are followed %v", h.Name, s.Level, followed)
			}
		}
		if want, seen := levels[string(h.Name)]; seen && strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", h.Name, got, want)
		}
	}
}
