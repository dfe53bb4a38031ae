package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
)

const (
	// graphBlocks is how many blocks the context graph has; an operation follows every stepEvery of them.
	graphBlocks = 5_000
	stepEvery   = 10
	// typing is the time between two letters, longer than the server's pause between two reports.
	typing = 100 * time.Millisecond
)

// largeGraph returns a context graph of 1 MB with 5,000 blocks and 500 operations, and the lines of prose in it and those
// whose reference is completed.
func largeGraph() (text string, prose, references []uint32) {
	var b strings.Builder
	line := uint32(0)
	for i := range graphBlocks {
		prose = append(prose, line+2)
		fmt.Fprintf(&b, "## Block %d {id=b%d}\n\nThe totals of block %d are in `cents`, as *all* of them are, and "+
			"add up to what is said below.\n\n- one of the totals\n- two of them\n\n", i, i, i)
		line += 7
		if i%stepEvery == 0 {
			references = append(references, line+5)
			fmt.Fprintf(&b, "@llm\nprompt: |\n  Say what it is\n\n  # more\nblock: [b%d, b%d]\nuse-header: none\n\n", i, i+1)
			line += 8
		}
	}
	return b.String(), prose, references
}

// measureGraphs measures a large context graph in the language server, from the editor's side.
func measureGraphs(ctx context.Context, b *bench) error {
	text, prose, references := largeGraph()
	if err := b.measureOpening(ctx, edited{name: "a context graph", language: "markdown", text: text}); err != nil {
		return err
	}
	s, err := b.startServer(ctx, nil)
	if err != nil {
		return err
	}
	g := &typist{langServer: s, version: 1, lines: prose, rng: rand.New(rand.NewPCG(1, 2))}
	if err := s.Open(typedIn, "markdown", text); err != nil {
		return err
	}
	if err := g.findings(ctx); err != nil {
		return err
	}
	for _, kind := range []struct {
		title string
		ask   func() error
	}{{"a keystroke, to findings and lenses", func() error {
		if err := s.Call(ctx, "textDocument/codeLens", scriptededitor.Document(typedIn, nil), nil); err != nil {
			return err
		}
		return g.findings(ctx)
	}}, {"a keystroke, to a completion", func() error {
		at := scriptededitor.Position{Line: references[g.rng.IntN(len(references))], Character: 10}
		return s.Call(ctx, "textDocument/completion",
			scriptededitor.Document(typedIn, map[string]any{"position": at}), nil)
	}}} {
		before, _ := processorTime(s.cmd.Process.Pid)
		var took times
		for range b.runs * keystrokes / 2 {
			if err := g.letter(ctx, &took, kind.ask); err != nil {
				return err
			}
		}
		after, _ := processorTime(s.cmd.Process.Pid)
		b.report.add("editor, a context graph of 1 MB: "+kind.title, fmt.Sprintf("%s, p99 %s, fastest %s",
			micros(took.median()), micros(took.at(0.99)), micros(took.at(0))),
			"processor time of the server: "+millis((after-before)/time.Duration(len(took))), "", fmt.Sprint(len(took)))
	}
	b.report.add("″: memory", megabytes(memoryOf(s.cmd.Process.Pid)), "", "", "1")
	return s.stop(ctx)
}

// typedIn is the document in which letters are typed.
const typedIn = "untitled:graph"

// typist types in a document.
type typist struct {
	*langServer
	version int
	lines   []uint32
	rng     *rand.Rand
}

// letter types a letter at a random place after a pause, and measures until ask has its answer.
func (t *typist) letter(ctx context.Context, took *times, ask func() error) error {
	env.Sleep(ctx, typing)
	t.version++
	at := scriptededitor.Position{Line: t.lines[t.rng.IntN(len(t.lines))], Character: 20}
	return took.clock(func() error {
		if err := t.Change(typedIn, t.version, scriptededitor.Range{Start: at, End: at}, "x"); err != nil {
			return err
		}
		return ask()
	})
}

// findings waits for the findings of the newest version.
func (t *typist) findings(ctx context.Context) error {
	_, err := t.Until(ctx, func(told []scriptededitor.Message) bool {
		if len(told) == 0 {
			return false
		}
		last := told[len(told)-1]
		var of struct{ Version int }
		return last.Method == "textDocument/publishDiagnostics" && json.Unmarshal(last.Params, &of) == nil &&
			of.Version == t.version
	})
	return err
}
