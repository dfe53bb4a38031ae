package graph

import (
	"fmt"
	"strings"
	"testing"
)

// large returns a document of about 1 MB with 5,000 blocks and 500 operations.
func large() string {
	var b strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&b, "## Block %d {id=b%d}\n\nThe totals of block %d are in `cents`, as *all* of them are, and "+
			"add up to what is said below.\n\n"+
			"- one\n- two\n\n", i, i, i)
		if i%10 == 0 {
			fmt.Fprintf(&b, "@llm\nprompt: |\n  Say\n\n  # more\nblock: [b%d, b%d/*]\nuse-header: none\n\n", i, i)
		}
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	source := large()
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		Settings{}.Parse("doc.md", source)
	}
}

// BenchmarkKeystroke types a letter in the middle and asks what is wrong, without counting tokens.
func BenchmarkKeystroke(b *testing.B) {
	d := Settings{}.Parse("doc.md", large())
	at := strings.Index(d.Source(), "block 2500 ")
	for b.Loop() {
		d = d.Edit(Span{at, at}, "x")
		Check(d, Options{})
	}
}
