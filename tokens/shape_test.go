package tokens

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// learntCounter returns the counter of a model that was measured.
func learntCounter(t *testing.T, model string) Counter {
	t.Helper()
	e := NewEstimator(model)
	for i := range 40 {
		n := 400 + 31*i
		e.Learn(Features{n, n / 2, 2 * n, n / 2, n / 9, 3, n / 2, n / 5, 1}, int64(2*n+i))
	}
	state, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Builtin().Counter(model, state)
	if err != nil || c.Quality() == "prior" {
		t.Fatalf("%s, %v", c.Quality(), err)
	}
	return c
}

// TestACountInAnIndexIsTheCountOfTheText compares ranges before and after edits, for a model that was measured, one that
// was not, and one whose encoding is known. Editors count in an index, all others count texts.
func TestACountInAnIndexIsTheCountOfTheText(t *testing.T) {
	const model = "claude-opus-4-7"
	counters := []Counter{learntCounter(t, model), Builtin().For(model), O200kBase.Counter()}
	rng := rand.New(rand.NewPCG(7, 1))
	piece := []string{"Order", "IDs", " = ", "0042", "\t", "\n\n", "é漢字", "func (s)", "  ", "!", "x\x80", "\r\n"}
	text := func(n int) (out []byte) {
		for len(out) < n {
			out = append(out, piece[rng.IntN(len(piece))]...)
		}
		return out
	}
	for _, size := range []int{0, 1, 700, 9_000, 60_000} {
		raw := text(size)
		x := O200kBase.Index(raw)
		for range 12 {
			for _, c := range counters {
				from, to := rng.IntN(len(raw)+1), rng.IntN(len(raw)+1)
				if from > to {
					from, to = to, from
				}
				for _, r := range [][2]int{{0, len(raw)}, {from, to}, {charStart(raw, from), min(len(raw), from+40)}} {
					part := raw[charStart(raw, r[0]):charStart(raw, r[1])]
					if got, want := c.CountIn(x, r[0], r[1]), c.Count(string(part)); got != want {
						t.Fatalf("%s, %s: %v of %d bytes: %+v, not %+v", c.Model(), c.Quality(), r, len(raw), got, want)
					}
				}
			}
			from := charStart(raw, rng.IntN(len(raw)+1))
			to := charStart(raw, min(len(raw), from+rng.IntN(300)))
			with := text(rng.IntN(400))
			x = x.Replace(from, to, with)
			raw = bytes.Join([][]byte{raw[:from], with, raw[to:]}, nil)
		}
	}
}
