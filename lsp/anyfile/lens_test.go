package anyfile

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/changes"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// TestALensFitsItsLineAndItsHoverSaysAll: what is not known is not said, and what does not fit is in the hover.
func TestALensFitsItsLineAndItsHoverSaysAll(t *testing.T) {
	for _, c := range []struct {
		name  string
		words int
		use   live.File
		want  string
		hover string // its last line
	}{
		{"nobody read it", 3, live.File{}, "≈3 tokens · < 0.1 % of 200,000", "estimated for claude-opus-4-6, before anything was measured"},
		{"known to be as it was", 3, live.File{Reads: 1, Tokens: 5, Fresh: true},
			"≈3 tokens · read once, ≈6 tokens · unchanged since", "unchanged since"},
		{"changed", 3, live.File{Reads: 1, Tokens: 5, Stale: true, By: changes.External},
			"≈3 tokens · read once, ≈6 tokens · changed since", "changed since, " + by(changes.External)},
		{"nobody knows", 3, live.File{Reads: 2, Tokens: 5}, "≈3 tokens · read 2 times, ≈6 tokens",
			"whether it has changed since is not known"},
		{"much of everything", 900_000, live.File{Reads: 12, Tokens: 9_000_000, Fresh: true},
			"≈1,044,000 tokens · unchanged since", "unchanged since"},
	} {
		x := text.New(tokens.O200kBase, []byte(strings.Repeat(" word", c.words)))
		f := File{Text: x, Outline: outline.Of(outline.Indented, text.New(tokens.O200kBase, nil)), Use: c.use,
			Meter: Meter{Counter: tokens.Builtin().For("claude-opus-4-6"), Window: 200_000}}
		title, lines := Lens(f), strings.Split(ExplainLens(f), "\n")
		if title != c.want || utf8.RuneCountInString(title) > maxLens {
			t.Errorf("%s: %q, not %q", c.name, title, c.want)
		}
		if last := lines[len(lines)-1]; last != c.hover || !strings.HasPrefix(lines[0], "this file, as it is open: ≈") {
			t.Errorf("%s: the hover is %q", c.name, lines)
		}
	}
}
