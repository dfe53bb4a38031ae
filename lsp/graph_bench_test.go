package lsp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
)

// largeGraph is a context graph of 1 MB with 5,000 blocks and 500 operations.
func largeGraph() string {
	var b strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&b, "## Block %d {id=b%d}\n\nThe totals of block %d are in `cents`, as *all* of them are, and "+
			"add up to what is said below.\n\n- one of the totals\n- two of them\n\n", i, i, i)
		if i%10 == 0 {
			fmt.Fprintf(&b, "@llm\nprompt: |\n  Say what it is\n\n  # more\nblock: [b%d, b%d]\nuse-header: none\n\n", i, i+1)
		}
	}
	return b.String()
}

// BenchmarkGraph says what a large context graph makes the server allocate: to open it, and after each key. Server and client share a
// garbage collector here, so the times are those of make bench ARGS="-only graphs".
func BenchmarkGraph(b *testing.B) {
	const uri = "file:///doc.md"
	source := largeGraph()
	open := func(b *testing.B) *fixture {
		f := newFixture(b, nil)
		if _, err := f.Initialize(f.ctx, nil, map[string]any{"agentFiles": false}, nil); err != nil {
			b.Fatal(err)
		}
		if err := f.Open(uri, "markdown", source); err != nil {
			b.Fatal(err)
		}
		if err := f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document(uri, nil), nil); err != nil {
			b.Fatal(err)
		}
		return f
	}
	place := scriptededitor.Position{Line: uint32(strings.Count(source[:strings.Index(source, "block 2500 ")], "\n"))}
	after := func(name string, ask func(f *fixture) error) {
		b.Run(name, func(b *testing.B) {
			f := open(b)
			for version := 2; b.Loop(); version++ {
				err := f.Change(uri, version, scriptededitor.Range{Start: place, End: place}, "x")
				if err = errors.Join(err, ask(f)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	after("lenses-over-the-wire", func(f *fixture) error {
		return f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document(uri, nil), nil)
	})
	after("findings-and-lenses", func(f *fixture) error {
		err := f.Call(f.ctx, "textDocument/completion", // the change has been taken in
			scriptededitor.Document("untitled:none", map[string]any{"position": place}), nil)
		d := f.documents.all()[0]
		f.first().graphFindings(d)
		f.first().graphLenses(d)
		return err
	})
	line := uint32(strings.Count(source[:strings.Index(source, "[b2500, ")], "\n"))
	completing := scriptededitor.Document(uri,
		map[string]any{"position": scriptededitor.Position{Line: line, Character: 10}})
	after("completion", func(f *fixture) error {
		return f.Call(f.ctx, "textDocument/completion", completing, nil)
	})
}
