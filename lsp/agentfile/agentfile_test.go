package agentfile

import (
	"testing"
	"unicode/utf8"

	"ctxledger.dev/carried"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/tokens"
)

// TestTheFirstLineHasOneLens: editors show the lenses of a line side by side, and cut them. The hover has each agent.
func TestTheFirstLineHasOneLens(t *testing.T) {
	part := func(n int) carried.Part {
		return carried.Part{Kind: carried.Memory, Name: "AGENTS.md", Carried: tokens.Count{N: n}}
	}
	edited := part(91_500)
	for _, c := range []struct {
		uses  []Use
		want  string
		hover string
	}{
		{[]Use{{"Codex", "codex", part(80), nil}}, "Codex: ≈80 tokens in every request",
			"Codex: ≈80 tokens in every request"},
		{[]Use{{"Codex", "codex", part(80), nil}, {"Cursor", "cursor", part(80), nil}},
			"≈80 tokens in every request of 2 agents",
			"Codex: ≈80 tokens in every request\nCursor: ≈80 tokens in every request"},
		{[]Use{{"Codex", "codex", part(12_345), nil}, {"Cursor", "cursor", part(11_111), nil}},
			"≈11,111–12,345 tokens in every request of 2 agents",
			"Codex: ≈12,345 tokens in every request\nCursor: ≈11,111 tokens in every request"},
		{[]Use{{"Claude Code", "claude-code", part(80), &edited}}, "≈80 tokens in every request, ≈91,500 once saved",
			"Claude Code: ≈80 tokens in every request, ≈91,500 once saved"},
	} {
		c.hover += "\ncounted in o200k_base, since no model is known"
		got := Lenses(c.uses, anyfile.Meter{})
		if len(got) != 1 || got[0].Title != c.want || got[0].Hover != c.hover ||
			utf8.RuneCountInString(got[0].Title) > 50 {
			t.Errorf("%+v, not %q with %q", got, c.want, c.hover)
		}
	}
}
