package lsp

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/tokens"
)

var (
	sequences = flag.Int("sequences", 250, "how many random `sequences` of edits are made")
	seed      = flag.Uint64("seed", 1, "the `seed` of the random edits")
)

var scraps = []string{"a", "word ", "\n", "\r", "\r\n", "😀", "é", "e\u0301", "\ufeff", "漢字", "\t", "func f() {\n",
	"}\n", "# Title\n", "\u2028", "```\n", strings.Repeat("x", 1000)}

// storm is one document under edits.
type storm struct {
	*fixture
	rng      *rand.Rand
	uri      string
	buffer   scriptededitor.Buffer
	version  int
	pending  []asked
	answered int
	refused  int
}

// asked is a call under way, with the tokens that the document had when it was made.
type asked struct {
	*scriptededitor.Pending
	cost      string
	cancelled bool
}

func (s *storm) text(most int) string {
	var b strings.Builder
	for range s.rng.IntN(most) {
		b.WriteString(scraps[s.rng.IntN(len(scraps))])
	}
	return b.String()
}

func (s *storm) place() scriptededitor.Position {
	return scriptededitor.Position{Line: uint32(s.rng.IntN(len(s.buffer.Lines()) + 1)),
		Character: uint32(s.rng.IntN(14))}
}

// step does one thing that an editor does.
func (s *storm) step() error {
	switch s.rng.IntN(12) {
	case 0: // the whole text
		with := s.text(20)
		s.buffer = scriptededitor.NewBuffer(with)
		s.version++
		return s.Notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": s.uri, "version": s.version},
			"contentChanges": []any{map[string]any{"text": with}},
		})
	case 1: // close and open, in another language
		if err := s.Notify("textDocument/didClose", scriptededitor.Document(s.uri, nil)); err != nil {
			return err
		}
		s.version = 1
		return s.Open(s.uri, []string{"go", "markdown", "python"}[s.rng.IntN(3)], s.buffer.String())
	case 2, 3, 4, 5: // ask
		return s.ask()
	}
	var changes []any
	for range 1 + s.rng.IntN(3) {
		r := scriptededitor.Range{Start: s.place(), End: s.place()}
		if s.rng.IntN(2) == 0 {
			r.End = r.Start
		}
		with := s.text(4)
		s.buffer = s.buffer.Edit(r, with)
		changes = append(changes, map[string]any{"range": r, "text": with})
	}
	s.version += s.rng.IntN(4) - 1 // back, equal, next, with a gap
	return s.Notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": s.uri, "version": s.version}, "contentChanges": changes,
	})
}

// ask makes a call, and cancels some.
func (s *storm) ask() error {
	method := []string{"codeLens", "codeLens", "hover", "documentSymbol", "inlayHint", "foldingRange",
		"codeAction"}[s.rng.IntN(7)]
	p, err := s.Begin("textDocument/"+method, scriptededitor.Document(s.uri, map[string]any{
		"position": s.place(), "range": scriptededitor.Range{Start: s.place(), End: s.place()},
		"context": map[string]any{"diagnostics": []any{}},
	}))
	if err != nil {
		return err
	}
	a := asked{Pending: p}
	if method == "codeLens" {
		a.cost = cost(s.buffer.String())
	}
	if s.rng.IntN(3) == 0 {
		a.cancelled = true
		err = s.Notify("$/cancelRequest", map[string]any{"id": p.ID})
	}
	s.pending = append(s.pending, a)
	return err
}

func cost(text string) string {
	n := tokens.O200kBase.CountString(text)
	if n == 1 {
		return "≈1 token"
	}
	return tokens.Count{N: n}.String() + " tokens" // of no model
}

// settle wants every call to be answered: for the text that it was made about, or with a refusal.
func (s *storm) settle(t *testing.T) {
	t.Helper()
	for _, p := range s.pending {
		var lenses []struct{ Command struct{ Title string } }
		var result any = &lenses
		if p.cost == "" {
			result = nil
		}
		err := p.Wait(s.ctx, result)
		wire, ok := errors.AsType[*scriptededitor.Error](err)
		if ok && (wire.Code == -32801 || wire.Code == -32800 && p.cancelled) {
			s.refused++
			continue
		}
		if err != nil {
			t.Fatalf("call %d: %v", p.ID, err)
		}
		s.answered++
		if p.cost != "" && !strings.HasPrefix(lenses[0].Command.Title, p.cost+" in file") {
			t.Fatalf("call %d is answered for another text: %q, not %q", p.ID, lenses[0].Command.Title, p.cost)
		}
	}
	s.pending = nil
}

// TestTheServerHasTheTextOfTheEditor makes random sequences of edits, calls and cancellations.
func TestTheServerHasTheTextOfTheEditor(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	answered, refused := 0, 0
	for n := range *sequences {
		s := &storm{fixture: f, rng: rand.New(rand.NewPCG(*seed, uint64(n))),
			uri: fmt.Sprintf("untitled:%d", n), version: 1}
		s.buffer = scriptededitor.NewBuffer(s.text(30))
		if err := s.Open(s.uri, "markdown", s.buffer.String()); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if err := s.step(); err != nil {
				t.Fatal(err)
			}
		}
		s.settle(t)
		if got := f.has(t, s.uri); got != s.buffer.String() {
			t.Fatalf("seed %d, sequence %d: the server has %.300q, not %.300q", *seed, n, got, s.buffer.String())
		}
		if err := f.Notify("textDocument/didClose", scriptededitor.Document(s.uri, nil)); err != nil {
			t.Fatal(err)
		}
		answered, refused = answered+s.answered, refused+s.refused
	}
	t.Logf("%d sequences from seed %d: %d answers, %d refusals", *sequences, *seed, answered, refused)
	if answered == 0 || refused == 0 {
		t.Error("calls were not both answered and refused")
	}
}

// TestChangesAreTakenInInTheirOrder sends 5,000 of them with calls between.
func TestChangesAreTakenInInTheirOrder(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	const uri = "untitled:order"
	if err := f.Open(uri, "plaintext", ""); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	var calls []*scriptededitor.Pending
	for i := range 5000 {
		line := fmt.Sprintf("%d\n", i)
		want.WriteString(line)
		at := scriptededitor.Position{Line: uint32(i)}
		if err := f.Change(uri, i+2, scriptededitor.Range{Start: at, End: at}, line); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			p, err := f.Begin("textDocument/hover", scriptededitor.Document(uri, map[string]any{"position": at}))
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, p)
		}
	}
	for _, p := range calls {
		if err := p.Wait(f.ctx, nil); err != nil && !strings.HasPrefix(err.Error(), "-32801") {
			t.Fatal(err)
		}
	}
	if got := f.has(t, uri); got != want.String() {
		t.Errorf("the server has other lines, or another order")
	}
}
