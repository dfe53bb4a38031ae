package link

import (
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	for n, want := range map[int]time.Duration{0: 0, 1: firstBackoff, 2: 2 * firstBackoff, 100: longestBackoff} {
		if got := backoff(n); got != want {
			t.Errorf("after %d deaths: %v, not %v", n, got, want)
		}
	}
}
