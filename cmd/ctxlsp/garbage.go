package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Garbage may be as much as gcPercent of the live heap: the open documents live for hours. Up to leastGarbage it may be more, at most
// as much as is live: with a large context graph every other keystroke met a collection before, which costs twice the keystroke.
const (
	gcPercent    = 25
	mostPercent  = 100
	leastGarbage = 16 << 20
)

// percentOf returns how much garbage is allowed for a live heap of so many bytes.
func percentOf(live uint64) int {
	return int(min(max(gcPercent, leastGarbage*100/max(live, 1)), mostPercent))
}

// limitGarbage sets how much garbage is allowed, now and after each collection.
func limitGarbage() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentOf(live[0].Value.Uint64()))
	runtime.AddCleanup(new([16]byte), func(struct{}) { limitGarbage() }, struct{}{})
}
