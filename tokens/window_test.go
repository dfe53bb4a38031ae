package tokens

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// forEachClassifier runs f with the vectors, where the processor has them, and without.
func forEachClassifier(f func()) {
	f()
	defer useVectors(useVectors(false))
	f()
}

// windowEnds returns the ends of the pieces of text as counting finds them.
func windowEnds(t *tokenizer, text []byte) []int {
	var all []int
	var c cutter
	for start := 0; start < len(text); {
		all = append(all, c.cut(t, text, start)...)
		start = all[len(all)-1]
	}
	return all
}

// definedEnds returns the ends of the pieces of text as the definition has them.
func definedEnds(e *Encoding, text []byte) []int {
	var all []int
	for start := 0; start < len(text); {
		start = naives()[e].next(text, start)
		all = append(all, start)
	}
	return all
}

func checkWindows(t *testing.T, text []byte) {
	t.Helper()
	for _, e := range Encodings() {
		want := definedEnds(e, text)
		forEachClassifier(func() {
			got := windowEnds(e.tokenizer(), text)
			if slices.Equal(got, want) {
				return
			}
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			from := 0
			if i > 0 {
				from = want[i-1]
			}
			t.Fatalf("%s: vectors %t: the piece at %d of %+q ends at %v, the definition gives %v",
				e, hasVectors(), from, text[from:min(len(text), from+80)], got[i:min(len(got), i+1)], want[i:min(len(want), i+1)])
		})
	}
}

func TestWindowsCutAsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	ascii := slices.DeleteFunc(slices.Clone(alphabet), func(s string) bool { return s[0] >= 0x80 })
	for i := range 40_000 {
		alphabets := [][]string{ascii}
		if i%4 == 0 {
			alphabets = [][]string{ascii, ascii, ascii, alphabet, invalid}
		}
		checkWindows(t, []byte(randomText(rng, 20+rng.IntN(200), alphabets...)))
	}
	checkWindows(t, goSource(t))
}
