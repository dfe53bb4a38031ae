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
