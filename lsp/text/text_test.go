package text

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"ctxledger.dev/tokens"
)

var (
	sequences = flag.Int("sequences", 300, "how many random `sequences` of edits are made")
	seed      = flag.Uint64("seed", 1, "the `seed` of the random edits")
)

// editor holds a text as editors do: units of utf-16.
type editor []uint16

// lineStarts finds lines without looking at anything of this package.
func (e editor) lineStarts() []int {
	starts := []int{0}
	for i := range e {
		switch {
		case e[i] == '\n', e[i] == '\r' && (i+1 == len(e) || e[i+1] != '\n'):
			starts = append(starts, i+1)
		}
	}
	return starts
}

// offset clamps as the protocol says.
func (e editor) offset(p Position) int {
	starts := e.lineStarts()
	if int(p.Line) >= len(starts) {
		return len(e)
	}
	from, to := starts[p.Line], len(e)
	if int(p.Line)+1 < len(starts) {
		to = starts[p.Line+1]
		for to > from && (e[to-1] == '\n' || e[to-1] == '\r') {
			to--
		}
	}
	return min(from+int(p.Character), to)
}

func (e editor) edit(r Range, with string) editor {
	from, to := e.offset(r.Start), e.offset(r.End)
	if from > to {
		from, to = to, from
	}
	return slices.Concat(e[:from], utf16.Encode([]rune(with)), e[to:])
}

// whole returns the text, and the editor with what no file holds replaced: half pairs.
func (e editor) whole() (string, editor) {
	s := string(utf16.Decode(e))
	return s, utf16.Encode([]rune(s))
}

var scraps = []string{"", "a", "word ", "\n", "\r", "\r\n", "😀", "é", "e\u0301", "\ufeff", "漢字", "\t", "func f() {\n", "}\n", "# Title\n", "\u2028", strings.Repeat("x", 3000)}

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
		e := editor(utf16.Encode([]rune(start)))
		x := New(tokens.O200kBase, []byte(start))
		for range 30 {
			place := func() Position {
				starts := e.lineStarts()
				line := rng.IntN(len(starts) + 1)
				return Position{uint32(line), uint32(rng.IntN(14))}
			}
			r := Range{place(), place()}
			if rng.IntN(2) == 0 {
				r.End = r.Start
			}
			with := randomText(rng, 4)
			before := x
			was := string(before.Bytes(0, before.Len()))
			e, x = e.edit(r, with), x.Edit(r, with)
			var want string
			want, e = e.whole()
			if got := string(x.Bytes(0, x.Len())); got != want {
				t.Fatalf("seed %d, sequence %d: %+v %.300q in %.300q gives %.300q, want %.300q", *seed, n, r, with, was, got, want)
			}
			if string(before.Bytes(0, before.Len())) != was {
				t.Fatalf("seed %d, sequence %d: the edit changed the text before it", *seed, n)
			}
			agree(t, e, x, want)
		}
	}
}

// agree compares what a text says of its places with the editor.
func agree(t *testing.T, e editor, x *Text, want string) {
	t.Helper()
	starts := e.lineStarts()
	if x.Lines() != len(starts) {
		t.Fatalf("%.300q has %d lines, not %d", want, len(starts), x.Lines())
	}
	if got := tokens.O200kBase.CountString(want); x.Count(0, x.Len()) != got {
		t.Fatalf("%.300q counts %d, not %d", want, got, x.Count(0, x.Len()))
	}
	for i := range starts {
		for c := range uint32(5) {
			p := Position{uint32(i), c}
			unit := e.offset(p)
			prefix := string(utf16.Decode(e[:unit]))
			at, torn := x.offset(p)
			if torn {
				continue // the editor is inside of a pair, the text before it
			}
			if at != len(prefix) {
				t.Fatalf("%+v of %.300q is at %d, not at %d", p, want, at, len(prefix))
			}
			if back := x.Position(at); e.offset(back) != unit {
				t.Fatalf("byte %d of %.300q is at %+v", at, want, back)
			}
		}
	}
}
