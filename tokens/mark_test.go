package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// mendKinds are what long pieces are made of.
var mendKinds = map[string][]string{
	"letters": strings.Split("abcdefghijklmnopqrstuvwxyz", ""),
	"words":   {"the", "count", "ing", "of", "tokens", "is", "exact", "and", "fast"},
	"han":     strings.Split("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年", ""),
	"signs":   {"=", "-", "==", "+", "*", "#", "/"},
	"blanks":  {" ", "  ", "    ", "\t"},
	"spaces":  {" "},
	"dashes":  {"-"},
	"rulers":  {"-", strings.Repeat("-", 70), strings.Repeat("=", 90), strings.Repeat("*", 40)},
	"a":       {"a"},
	"ab":      {"ab"},
}

// mended is a piece that came of another by an edit, with what is known of its tokens.
type mended struct {
	text  []byte
	ends  bitset
	known []span
}

// editPiece replaces old[from:to] by with. What is known is the tokens on both sides.
func editPiece(w *worker, old []byte, from, to int, with string) mended {
	ends := newBitset(len(old))
	w.encode(old, ends, span{0, len(old)})
	m := mended{text: slices.Concat(old[:from], []byte(with), old[to:])}
	m.ends = newBitset(len(m.text))
	m.ends.copy(0, ends, 0, from)
	m.ends.copy(from+len(with), ends, to, len(old))
	m.known = cutSpans([]span{{0, from}, {from + len(with), len(m.text)}}, 0, len(m.text), 0)
	return m
}

func TestMendingAPieceGivesItsEncoding(t *testing.T) {
	for name, from := range mendKinds {
		for _, e := range indexed() {
			t.Run(name+e.String(), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(81, 82))
				w := aloneWorkers()[e]
				for range 20 {
					old := []byte(randomText(rng, 200+rng.IntN(800), from))
					a, b := rng.IntN(len(old)+1), rng.IntN(len(old)+1)
					if rng.IntN(2) == 0 {
						b = min(len(old), a+rng.IntN(8))
					}
					m := editPiece(w, old, min(a, b), max(a, b), randomText(rng, rng.IntN(4), from))
					want := newBitset(len(m.text))
					w.encode(m.text, want, span{0, len(m.text)})
					w.mend(m.text, m.ends, span{0, len(m.text)}, m.known)
					if !slices.Equal(m.ends, want) {
						t.Fatalf("%q does not mend after an edit from %d to %d", m.text, a, b)
					}
				}
			})
		}
	}
}

// A token far from the edit is taken away: it stays away where nothing was encoded again.
func TestMendingEncodesLittle(t *testing.T) {
	for _, name := range []string{"letters", "words", "han", "signs"} {
		for _, e := range Encodings() {
			t.Run(name+e.String(), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(83, 84))
				w := aloneWorkers()[e]
				outright := 0
				for range 40 {
					old := []byte(randomText(rng, 4_000, mendKinds[name]))
					at := len(old)/2 + rng.IntN(100)
					m := editPiece(w, old, at, at, "x")
					far := m.ends.after(len(old)/8, len(old))
					m.ends.fill(far, far+1, false)
					w.mend(m.text, m.ends, span{0, len(m.text)}, m.known)
					if m.ends.has(far) {
						outright++
					}
				}
				if outright > 3 {
					t.Errorf("%d of 40 pieces were encoded outright", outright)
				}
			})
		}
	}
}

// The tokens of runs are long: one character more may change tokens far before it.
func TestMendingARunThatGrows(t *testing.T) {
	for _, one := range []string{" ", "-", "=", "*", "a", "\n", "/", "#", "_", "."} {
		for _, e := range Encodings() {
			w := aloneWorkers()[e]
			for n := 2 * longPiece; n < 2*longPiece+140; n++ {
				m := editPiece(w, []byte(strings.Repeat(one, n)), n, n, one)
				want := newBitset(n + 1)
				w.encode(m.text, want, span{0, n + 1})
				w.mend(m.text, m.ends, span{0, n + 1}, m.known)
				if !slices.Equal(m.ends, want) {
					t.Fatalf("%s: %d of %q do not mend when one more comes", e, n, one)
				}
			}
		}
	}
}
