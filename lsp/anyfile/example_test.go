package anyfile_test

import (
	"fmt"

	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

func Example() {
	t := text.New(tokens.O200kBase, []byte("# Guide\n\n## Install\nRun make.\n"))
	f := anyfile.File{
		Text: t, Outline: outline.Of(outline.Markdown, t),
		Meter: anyfile.Meter{Counter: tokens.Builtin().For("claude-opus-4-6"), Window: 200_000},
		Use: live.File{Reads: 2, Window: tokens.Count{N: 40, Exact: true},
			Left: tokens.Count{N: 40, Exact: true}, Stale: true, By: "external"},
		Unsaved: new(bool),
	}
	fmt.Println(anyfile.Lens(f, anyfile.CostOf(f)))
	note, _ := anyfile.Heading(f, 12)
	fmt.Println(note.Text)
	for _, h := range anyfile.Hints(f, 0, t.Len(), 1) {
		fmt.Println(h.At, h.Label)
	}
	// Output:
	// read twice, 40 tokens in window · changed since
	// `Install` · ≈7 tokens · < 0.1% of 200,000
	// 70% of the file's ≈10 tokens, counted on its own; rough estimates, not calibrated yet
	// 7 ≈10
	// 19 ≈7
}
