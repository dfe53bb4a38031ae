package graph

import (
	"fmt"
	"strings"
	"testing"
)

func big() string {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "## Block %d {id=b%d}\n\nSome text with `code` and *emphasis* about the block number %d that goes on for a while and a while, and then more of it here.\n\n- item\n- item two\n\n", i, i, i)
		if i%10 == 0 {
			fmt.Fprintf(&b, "@llm\nprompt: |\n  Say\n\n  # more\nblock: [b%d, b%d/*]\nuse-header: none\n\n", i, i)
		}
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	src := big()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Parse("x.md", src)
	}
}
