package link

import (
	"testing"
	"time"
)

// TestSuspectsAreScatteredWiderOnABusyMachine: within a fifth of a second, whatever the machine, innocent requests of
// others were blamed for the crashes.
func TestSuspectsAreScatteredWiderOnABusyMachine(t *testing.T) {
	for _, c := range []struct {
		deaths      int
		found, want time.Duration
	}{
		{1, 0, 2 * firstBackoff}, {1, 50 * time.Millisecond, 2 * firstBackoff}, {2, 0, 4 * firstBackoff},
		{1, 1500 * time.Millisecond, 1500 * time.Millisecond}, {1, time.Minute, 2 * longestBackoff},
	} {
		if got := pauseAfter(c.deaths, c.found); got != c.want {
			t.Errorf("after %d deaths, and %v without an owner: %v, not %v", c.deaths, c.found, got, c.want)
		}
	}
}

func TestBackoff(t *testing.T) {
	for n, want := range map[int]time.Duration{0: 0, 1: firstBackoff, 2: 2 * firstBackoff, 100: longestBackoff} {
		if got := backoff(n); got != want {
			t.Errorf("after %d deaths: %v, not %v", n, got, want)
		}
	}
}
