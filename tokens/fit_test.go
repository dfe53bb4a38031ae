package tokens

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// checkFit compares Fit with what it promises, by counting again.
func checkFit(t *testing.T, x *Index, text []byte, from, budget int) {
	t.Helper()
	end, n := x.Fit(from, budget)
	from = charStart(text, from)
	fail := func(what string, at int) {
		t.Helper()
		t.Fatalf("%s: from %d with %d tokens the part ends at %d with %d: %s %d: %+.300q", x.encoding, from, budget,
			end, n, what, at, text[from:])
	}
	count := func(end int) int { return countAlone(x.encoding, text[from:end]) }
	switch {
	case end < from || end > len(text) || charStart(text, end) != end:
		fail("not a border of characters", end)
	case count(end) != n || n > max(budget, 0):
		fail("counted anew, it has", count(end))
	case end == len(text):
		return
	}
	start, stop := stretchOf(text, from, end)
	for i := end + 1; i <= stop; i++ {
		if charStart(text, i) == i && count(i) <= budget {
			fail("but a longer one fits:", i)
		}
		if charStart(text, i) == i && stop-start > longPiece {
			return // only the next character must not fit
		}
	}
	if stop < len(text) && count(stop) <= budget {
		fail("but up to the next safe point it fits:", stop)
	}
}

// stretchOf returns the safe points of text[from:] around end, which is less than len(text).
func stretchOf(text []byte, from, end int) (start, stop int) {
	for start = end; start > from && !safe(text[from:], start-from); start-- {
	}
	for stop = end + 1; stop < len(text) && !safe(text[from:], stop-from); stop++ {
	}
	return start, stop
}

func TestFitIsTheLongestPartWithinTheBudget(t *testing.T) {
	for _, size := range []int{1, 40, 2_000} {
		for name, text := range indexTexts(size + 3) {
			for _, e := range indexed() {
				t.Run(name+sizeName(size)+e.String(), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(61, 62))
					x := e.Index([]byte(text))
					for i := range 10 {
						budget := rng.IntN(x.tokens + 2)
						if i%2 == 0 {
							budget = rng.IntN(6)
						}
						checkFit(t, x, []byte(text), rng.IntN(len(text)+1), budget)
					}
				})
			}
		}
	}
}

// Where each part of a word has more tokens than the word, nothing shorter than the whole may
// be taken for the longest.
func TestFitLooksBehindPartsThatDoNotFit(t *testing.T) {
	const word = " responsibilities"
	x := O200kBase.Index([]byte("The" + word + ", too"))
	whole := 3 + len(word)
	if n := O200kBase.CountString("The" + word); n != 2 {
		t.Fatalf("The%s has %d tokens: take another word", word, n)
	}
	for cut := 3 + 4; cut < whole; cut++ {
		if O200kBase.CountString(("The" + word)[:cut]) > 2 {
			if end, n := x.Fit(0, 2); end != whole || n != 2 {
				t.Errorf("the longest part of 2 tokens ends at %d with %d, want %d", end, n, whole)
			}
			return
		}
	}
	t.Error("no part of the word has more tokens than the word: take another")
}

func TestFitAtTheLimits(t *testing.T) {
	x := O200kBase.Index([]byte("one two three"))
	for _, c := range []struct{ from, budget, end, n int }{
		{0, 0, 0, 0}, {0, -1, 0, 0}, {0, math.MinInt, 0, 0}, {0, 1, 3, 1},
		{0, 2, 7, 2}, {0, 3, 13, 3}, {0, math.MaxInt, 13, 3},
		{3, 1, 7, 1}, {4, math.MaxInt, 13, 2}, {-5, 1, 3, 1}, {13, 5, 13, 0},
		{99, 5, 13, 0}, {math.MinInt, 1, 3, 1}, {math.MaxInt, 1, 13, 0},
	} {
		if end, n := x.Fit(c.from, c.budget); end != c.end || n != c.n {
			t.Errorf("from %d with %d: %d, %d, want %d, %d", c.from, c.budget, end, n, c.end, c.n)
		}
	}
	if end, n := O200kBase.Index(nil).Fit(0, 9); end != 0 || n != 0 {
		t.Errorf("of the empty text: %d, %d", end, n)
	}
}

func ExampleIndex_Fit() {
	x := O200kBase.Index([]byte(strings.Repeat("All work and no play. ", 1000)))
	end, n := x.Fit(0, 100)
	fmt.Println(end, n, x.Count(0, end), x.Count(0, x.Len()))
	// Output: 367 100 100 6001
}
