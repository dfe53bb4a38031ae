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
	later := func(kind carried.Kind, when string) carried.Part {
		return carried.Part{Kind: kind, When: when, Later: tokens.Count{N: 2_825}}
	}
	edited, imported := part(91_500), part(57)
	imported.At = carried.Span{From: 4, To: 9}
	const nested = "a file in services/payments/internal/adapters/ is read"
	const matching = "a file that matches services/payments/internal/adapters/** is read"
	frame := func(agent string) string {
		return "\ncounted as " + agent + " sends it: with what the agent puts around the text"
	}
	for _, c := range []struct {
		uses  []Use
		want  string
		hover string
	}{
		{[]Use{{"Codex", "codex", part(80), nil}}, "Codex: ≈80 tokens in every request",
			"Codex: ≈80 tokens in every request" + frame("Codex")},
		{[]Use{{"Codex", "codex", part(80), nil}, {"Cursor", "cursor", part(80), nil}},
			"≈80 tokens in every request of 2 agents",
			"Codex: ≈80 tokens in every request" + frame("Codex") +
				"\nCursor: ≈80 tokens in every request" + frame("Cursor")},
		{[]Use{{"Codex", "codex", part(12_345), nil}, {"Cursor", "cursor", part(11_111), nil}},
			"≈11,111–12,345 tokens in every request of 2 agents",
			"Codex: ≈12,345 tokens in every request" + frame("Codex") +
				"\nCursor: ≈11,111 tokens in every request" + frame("Cursor")},
		{[]Use{{"Claude Code", "claude-code", part(80), &edited}}, "≈80 tokens in every request, ≈91,500 once saved",
			"Claude Code: ≈80 tokens in every request, ≈91,500 once saved" + frame("Claude Code")},
		{[]Use{{"Claude Code", "claude-code", later(carried.Memory, nested), nil}},
			"≈2,825 tokens when its directory is read",
			"Claude Code: ≈2,825 tokens when " + nested + frame("Claude Code")},
		{[]Use{{"Codex", "codex", later(carried.Memory, "Codex runs in services/payments/internal/adapters/"), nil}},
			"Codex: ≈2,825 tokens when it runs there",
			"Codex: ≈2,825 tokens when Codex runs in services/payments/internal/adapters/" + frame("Codex")},
		{[]Use{{"Cursor", "cursor", later(carried.Rule, matching), nil}},
			"≈2,825 tokens when a file that matches is read",
			"Cursor: ≈2,825 tokens when " + matching + frame("Cursor")},
		{[]Use{{"Codex", "codex", later(carried.Memory, nested), nil},
			{"Cursor", "cursor", later(carried.Memory, nested), nil}},
			"≈2,825 tokens when needed by 2 agents", "Codex: ≈2,825 tokens when " + nested + frame("Codex") +
				"\nCursor: ≈2,825 tokens when " + nested + frame("Cursor")},
		{[]Use{{"Claude Code", "claude-code", carried.Part{Kind: carried.Memory, At: imported.At}, &imported}},
			"in no request, ≈57 tokens once its import is saved",
			"Claude Code: in no request, ≈57 tokens once its import is saved"},
	} {
		c.hover += "\ncounted in o200k_base, since no model is known"
		got := Lenses(c.uses, anyfile.Meter{})
		if len(got) != 1 || got[0].Title != c.want || got[0].Hover != c.hover ||
			utf8.RuneCountInString(got[0].Title) > anyfile.MaxLens {
			t.Errorf("%+v, not %q with %q", got, c.want, c.hover)
		}
	}
}
