package main

import "testing"

// TestGarbageOfALargeGraph is issue 45: with a live heap of 28 MB and a quarter of that for garbage, every other keystroke met a
// collection. Many large documents keep the quarter.
func TestGarbageOfALargeGraph(t *testing.T) {
	cases := map[uint64]int{0: 100, 4 << 20: 100, 16 << 20: 100, 32 << 20: 50, 96 << 20: 25, 1 << 30: 25}
	for live, want := range cases {
		if got := percentOf(live); got != want {
			t.Errorf("%d bytes are live: %d%%, want %d", live, got, want)
		}
	}
}

// TestCollectingBetweenKeys is issue 45: of a hundred keystrokes in a large context graph, 18 met a collection. Between two keys, as
// much garbage is collected as several of them make, before a collection begins by itself.
func TestCollectingBetweenKeys(t *testing.T) {
	const mb = 1 << 20
	for objects, want := range map[uint64]bool{22 * mb: false, 29 * mb: false, 31 * mb: true, 33 * mb: true} {
		if got := due(22*mb, 38*mb, objects); got != want {
			t.Errorf("%d MB: %t", objects/mb, got)
		}
	}
}
