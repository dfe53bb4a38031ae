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

// early is how much of what is allowed as garbage is collected between two keys, in percent. A collection begins by itself from 70 on,
// and makes a keystroke that it meets three times as long.
const early = 50

// collectEarly collects garbage, where there is much.
func collectEarly() {
	is := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(is)
	if due(is[0].Value.Uint64(), is[1].Value.Uint64(), is[2].Value.Uint64()) {
		runtime.GC()
	}
}

// due reports whether there is much garbage: of a heap that was live, that may grow to a goal, and has objects of so many bytes.
func due(live, goal, objects uint64) bool { return objects > live+(goal-live)*early/100 }
