package given

import "testing"

// TestWhatAHookReportedIsOfTheNewestTurn: it has no place in the log yet, so that it would be listed as a turn of its own.
func TestWhatAHookReportedIsOfTheNewestTurn(t *testing.T) {
	rec := &reading{numbers: map[string]map[int64]int{"s": {0: 2, 7: 1, 9: 2}}}
	for _, c := range []struct {
		seq         int64
		usual, want int
	}{{7, 0, 1}, {9, 5, 2}, {8, 5, 5}, {0, 5, 5}, {0, 0, 2}} {
		if got, err := rec.turnOf(t.Context(), "s", c.seq, c.usual); got != c.want || err != nil {
			t.Errorf("entry %d, usually %d: turn %d, not %d, %v", c.seq, c.usual, got, c.want, err)
		}
	}
}
