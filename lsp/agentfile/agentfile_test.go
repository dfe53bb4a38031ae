package agentfile

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/carried"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/text"
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
	same := part(80)
	fresh := Use{Agent: "Claude Code", Host: "claude-code", Part: carried.Part{Kind: carried.Memory, Name: "AGENTS.md"},
		Open: &imported, New: true, By: "CLAUDE.md"}
	much := fresh
	much.Open = &edited
	const nested = "a file in services/payments/internal/adapters/ is read"
	const matching = "a file that matches services/payments/internal/adapters/** is read"
	edit := func(agent string) string {
		return "\ncounted as " + agent + " sends it, with what the agent puts around the text"
	}
	frame := func(agent string) string { return " (≈3 in the file)" + edit(agent) }
	file := anyfile.File{Text: text.New(tokens.O200kBase, []byte("# A\n")),
		Meter: anyfile.Meter{Counter: tokens.Counter{}}}
	for _, c := range []struct {
		uses  []Use
		want  string
		hover string
	}{
		{[]Use{{Agent: "Codex", Host: "codex", Part: part(80)}}, "Codex: ≈80 tokens in every request",
			"Codex: ≈80 tokens in every request" + frame("Codex")},
		{[]Use{{Agent: "Codex", Host: "codex", Part: part(2)}}, // comments are not sent
			"Codex: ≈2 tokens in every request",
			"Codex: ≈2 tokens in every request, a part of the ≈3 in the file" + edit("Codex")},
		{[]Use{{Agent: "Codex", Host: "codex", Part: part(80)}, {Agent: "Cursor", Host: "cursor", Part: part(80)}},
			"≈80 tokens in every request of 2 agents",
			"Codex: ≈80 tokens in every request" + frame("Codex") +
				"\nCursor: ≈80 tokens in every request" + frame("Cursor")},
		{[]Use{{Agent: "Codex", Host: "codex", Part: part(12_345)},
			{Agent: "Cursor", Host: "cursor", Part: part(11_111)}},
			"≈11,111–12,345 tokens in every request of 2 agents",
			"Codex: ≈12,345 tokens in every request" + frame("Codex") +
				"\nCursor: ≈11,111 tokens in every request" + frame("Cursor")},
		{[]Use{{Agent: "Claude Code", Host: "claude-code", Part: part(80), Open: &edited, Unsaved: true}},
			"≈80 tokens in every request, ≈91,500 once saved",
			"Claude Code, on disk, in every request: ≈80 tokens\nthis buffer, once saved, in every request: ≈91,500 tokens" +
				edit("Claude Code")},
		{[]Use{{Agent: "Codex", Host: "codex", Part: part(80), Open: &edited, Unsaved: true},
			{Agent: "Cursor", Host: "cursor", Part: part(80), Open: &same, Unsaved: true}},
			"2 agents: ≈80 a request, ≈80–91,500 once saved",
			"Codex, on disk, in every request: ≈80 tokens\nthis buffer, once saved, in every request: ≈91,500 tokens" + edit("Codex") +
				"\nCursor, on disk, in every request: ≈80 tokens\nthis buffer, once saved, in every request: ≈80 tokens" +
				edit("Cursor")},
		{[]Use{{Agent: "Claude Code", Host: "claude-code", Part: later(carried.Memory, nested)}},
			"≈2,825 tokens when its directory is read",
			"Claude Code: ≈2,825 tokens when " + nested + frame("Claude Code")},
		{[]Use{{Agent: "Codex", Host: "codex",
			Part: later(carried.Memory, "Codex runs in services/payments/internal/adapters/")}},
			"Codex: ≈2,825 tokens when it runs there",
			"Codex: ≈2,825 tokens when Codex runs in services/payments/internal/adapters/" + frame("Codex")},
		{[]Use{{Agent: "Cursor", Host: "cursor", Part: later(carried.Rule, matching)}},
			"≈2,825 tokens when a file that matches is read",
			"Cursor: ≈2,825 tokens when " + matching + frame("Cursor")},
		{[]Use{{Agent: "Codex", Host: "codex", Part: later(carried.Memory, nested)},
			{Agent: "Cursor", Host: "cursor", Part: later(carried.Memory, nested)}},
			"≈2,825 tokens when needed by 2 agents", "Codex: ≈2,825 tokens when " + nested + frame("Codex") +
				"\nCursor: ≈2,825 tokens when " + nested + frame("Cursor")},
		{[]Use{fresh}, "in no request, ≈57 tokens once its import is saved",
			"Claude Code: in no request; the saved version of CLAUDE.md does not load it\n" +
				"once open files are saved, in every request: ≈57 tokens"},
		{[]Use{much}, "in no request", // no longer title fits
			"Claude Code: in no request; the saved version of CLAUDE.md does not load it\n" +
				"once open files are saved, in every request: ≈91,500 tokens"},
		{[]Use{fresh, {Agent: "Codex", Host: "codex", Part: part(80), Open: &same}},
			"Codex: ≈80 tokens in every request",
			"Claude Code: in no request; the saved version of CLAUDE.md does not load it\n" +
				"once open files are saved, in every request: ≈57 tokens\n" +
				"Codex: ≈80 tokens in every request" + frame("Codex")},
		{[]Use{fresh, fresh}, "in no request, in those of 2 agents once saved",
			"Claude Code: in no request; the saved version of CLAUDE.md does not load it\n" +
				"once open files are saved, in every request: ≈57 tokens\n" +
				"Claude Code: in no request; the saved version of CLAUDE.md does not load it\n" +
				"once open files are saved, in every request: ≈57 tokens"},
		{[]Use{{Agent: "Claude Code", Host: "claude-code", Part: part(80), Open: &carried.Part{}, Gone: true,
			By: "CLAUDE.md"}},
			"≈80 tokens in every request, none once saved",
			"Claude Code, on disk, in every request: ≈80 tokens\nonce open files are saved, in no request" +
				edit("Claude Code")},
	} {
		c.hover += "\ncounted in o200k_base, since no model is known"
		for i := range c.uses {
			c.uses[i].Meter = anyfile.Meter{Counter: tokens.Counter{}}
		}
		got := Lenses(c.uses, file)
		if len(got) != 1 || got[0].Title != c.want || got[0].Hover != c.hover ||
			utf8.RuneCountInString(got[0].Title) > anyfile.MaxLens {
			t.Errorf("%+v, not %q with %q", got, c.want, c.hover)
		}
	}
}

// TestEachAgentsFigureIsThatOfItsModel: what Codex loads was counted as the live session's model does, Claude, and was a
// share of its window.
func TestEachAgentsFigureIsThatOfItsModel(t *testing.T) {
	part := func(n tokens.Count) carried.Part {
		return carried.Part{Kind: carried.Memory, Name: "AGENTS.md", Carried: n}
	}
	models := tokens.Builtin()
	uses := []Use{
		{Agent: "Codex", Host: "codex", Part: part(tokens.Count{N: 1_000, Exact: true}),
			Meter: anyfile.Meter{Counter: models.For("gpt-5"), Window: 400_000}},
		{Agent: "Claude Code", Host: "claude-code", Part: part(tokens.Count{N: 1_100}),
			Meter: anyfile.Meter{Counter: models.For("claude-sonnet-4-5"), Window: 200_000}},
	}
	body := []byte("# Prices\nIn cents, never in floats: 0x2A, 1042.\n")
	for editor, itself := range map[string]string{ // whatever the editor counts for, the file has one figure
		"gpt-5": "20 tokens, counted for gpt-5, exactly",
		"":      "≈20 tokens, counted in o200k_base, since no model is known",
	} {
		f := anyfile.File{Text: text.New(tokens.O200kBase, body), Meter: anyfile.Meter{Counter: models.For(editor)}}
		codex := " (20 in the file)"
		if editor == "" {
			f.Meter.Counter, codex = tokens.Counter{}, " (counted for the agent's model)"
		}
		frame := func(agent, n string) string {
			return n + "\ncounted as " + agent + " sends it, with what the agent puts around the text\n"
		}
		want := "Codex: 1,000 tokens in every request" + frame("Codex", codex) +
			"0.2% of the window of 400,000 tokens\ncounted for gpt-5, exactly\n" +
			"Claude Code: ≈1,100 tokens in every request" + frame("Claude Code", " (counted for the agent's model)") +
			"0.6% of the window of 200,000 tokens\nrough estimate for claude-sonnet-4-5, not calibrated yet\n" +
			"the file itself: " + itself
		lens := Lenses(uses, f)[0]
		if note, _ := Hover(uses, f, 0); lens.Hover != want || note.Text != want {
			t.Errorf("the lens explains\n%s\nthe hover says\n%s\nnot\n%s", lens.Hover, note.Text, want)
		}
		if want := "1,000–≈1,100 tokens in every request of 2 agents"; lens.Title != want {
			t.Errorf("the lens is %q, not %q", lens.Title, want)
		}
	}
}

// TestALensOfAServerFits: one that no session could have used had 66 characters, with what a click does.
func TestALensOfAServerFits(t *testing.T) {
	server := carried.Part{Kind: carried.Server, Name: "gh", Unknown: true, At: carried.Span{From: 2, To: 4},
		Use: &carried.Use{}, Config: &carried.ServerConfig{}}
	lenses := Lenses([]Use{{Agent: "Claude Code", Host: "claude-code", Part: server}},
		anyfile.File{Text: text.New(tokens.O200kBase, []byte("{\"gh\": {}}"))})
	if note, ok := Hover([]Use{{Agent: "Claude Code", Host: "claude-code", Part: server}},
		anyfile.File{Text: text.New(tokens.O200kBase, []byte("{\"gh\": {}}"))}, 0); !ok ||
		note.Text != lenses[0].Title+"\n"+lenses[0].Hover {
		t.Errorf("the hover of the first line is %q", note.Text)
	}
	asks := lenses[1].Title + ": ask it…"
	if utf8.RuneCountInString(asks) > anyfile.MaxLens ||
		!strings.Contains(lenses[1].Hover, "since its configuration changed") {
		t.Errorf("the lens is %q, its hover %q", asks, lenses[1].Hover)
	}
}
