package text

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/tokens"
)

var (
	sequences = flag.Int("sequences", 100, "how many random `sequences` of edits are made")
	seed      = flag.Uint64("seed", 1, "the `seed` of the random edits")
)

var scraps = []string{"", "a", "word ", "\n", "\r", "\r\n", "😀", "é", "e\u0301", "\ufeff", "漢字", "\t", "func f() {\n",
	"}\n", "# Title\n", "\u2028", strings.Repeat("x", 3000)}

func randomText(rng *rand.Rand, most int) string {
	var b strings.Builder
	for range rng.IntN(most) {
		b.WriteString(scraps[rng.IntN(len(scraps))])
	}
	return b.String()
}

// TestTheTextIsWhatTheEditorHas makes random edits in both, and compares text, lines, places and counts.
func TestTheTextIsWhatTheEditorHas(t *testing.T) {
	for n := range *sequences {
		rng := rand.New(rand.NewPCG(*seed, uint64(n)))
		start := randomText(rng, 40)
		e, x := scriptededitor.NewBuffer(start), New(tokens.O200kBase, []byte(start))
		for range 30 {
			place := func() scriptededitor.Position {
				return scriptededitor.Position{Line: uint32(rng.IntN(len(e.Lines()) + 1)),
					Character: uint32(rng.IntN(14))}
			}
			r := scriptededitor.Range{Start: place(), End: place()}
			if rng.IntN(2) == 0 {
				r.End = r.Start
			}
			with := randomText(rng, 4)
			before, was := x, string(x.Bytes(0, x.Len()))
			if rng.IntN(4) == 0 {
				x.Release()
			}
			c := x.Change(Range{Position(r.Start), Position(r.End)}, with)
			x = x.Replace(c.From, c.To, c.With)
			e = e.Edit(r, with)
			if got := string(x.Bytes(0, x.Len())); got != e.String() {
				t.Fatalf("seed %d, sequence %d: %+v %q in %.300q gives %.300q, want %.300q", *seed, n, r, with, was,
					got, e.String())
			}
			if string(before.Bytes(0, before.Len())) != was {
				t.Fatalf("seed %d, sequence %d: the edit changed the text before it", *seed, n)
			}
			agree(t, e, x)
		}
	}
}

// agree compares what a text says of its places with the editor.
func agree(t *testing.T, e scriptededitor.Buffer, x *Text) {
	t.Helper()
	want := e.String()
	if x.Lines() != len(e.Lines()) {
		t.Fatalf("%.300q has %d lines, not %d", want, len(e.Lines()), x.Lines())
	}
	if got := tokens.O200kBase.CountString(want); x.Count(tokens.O200kBase.Counter(), 0, x.Len()).N != got {
		t.Fatalf("%.300q counts %d, not %d", want, x.Count(tokens.O200kBase.Counter(), 0, x.Len()).N, got)
	}
	for i := range e.Lines() {
		for c := range uint32(5) {
			p := Position{uint32(i), c}
			unit := e.Unit(scriptededitor.Position(p))
			at, torn := x.offset(p)
			if torn {
				continue // the editor is inside of a pair, the text before it
			}
			if prefix := string(utf16.Decode(e[:unit])); at != len(prefix) {
				t.Fatalf("%+v of %.300q is at %d, not at %d", p, want, at, len(prefix))
			}
			if back := x.Position(at); e.Unit(scriptededitor.Position(back)) != unit {
				t.Fatalf("byte %d of %.300q is at %+v", at, want, back)
			}
		}
	}
}

// TestACursorHasThePositionsOfItsText asks for places in order, and for some before.
func TestACursorHasThePositionsOfItsText(t *testing.T) {
	for _, s := range []string{"", "a", "a\nb\r\nc\rd", "😀é漢\n😀\n\n", "e\u0301 x\n" + strings.Repeat("😀", 300)} {
		text := New(tokens.O200kBase, []byte(s))
		c := text.Cursor()
		for _, at := range append(offsetsOf(s), 0, len(s), len(s)/2) {
			if got, want := c.Position(at), text.Position(at); utf8.ValidString(s[:at]) && got != want {
				t.Fatalf("%q at %d: %v, not %v", s, at, got, want)
			}
		}
	}
}

// offsetsOf returns where the characters of a text begin.
func offsetsOf(s string) (all []int) {
	for i := range s {
		all = append(all, i)
	}
	return all
}
