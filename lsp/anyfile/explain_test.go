package anyfile

import (
	"strings"
	"testing"

	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// TestExplain: to add a case, add a row.
func TestExplain(t *testing.T) {
	words := func(n int) string { return strings.Repeat("some words\n", n) }
	for _, c := range []struct{ name, file, text, want string }{
		{"sections by cost", "/w/guide.md", "# A\n" + words(2) + "# B\n" + words(9) + "# C\n" + words(5),
			"guide.md: 57 tokens. Reading the file adds 97, line numbers included. " +
				"Most expensive: B 30, C 18, A 9."},
		{"a title that holds all", "/w/guide.md", "# Guide\n## A\n" + words(2) + "## B\n" + words(9),
			"guide.md: 42 tokens. Reading the file adds 72, line numbers included. Most expensive: B 30, A 9."},
		{"one section", "x.md", "# A\n", "x.md: 3 tokens. Reading the file adds 7, line numbers included."},
		{"nothing", "untitled:1", "", "untitled:1: 0 tokens. Reading the file adds 2, line numbers included."},
		{"more than is read at once", "b.txt", words(10_000), "b.txt: 30,000 tokens. " +
			"Claude Code reads only its first 25,000 tokens at a time."},
		{"more than is read at all", "b.txt", strings.Repeat("x ", 140_000), "b.txt: 140,001 tokens. " +
			"Claude Code refuses to read it in full."},
		{"a hostile name", "/w/a\x1b[2J.md", "", `a\u001b[2J.md: 0 tokens. Reading the file adds 2, line numbers included.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := text.New(tokens.O200kBase, []byte(c.text))
			f := File{Text: made, Outline: outline.Of(outline.LanguageOf("", c.file), made),
				Meter: Meter{Counter: tokens.O200kBase.Counter()}}
			if got := Explain(f, c.file); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
