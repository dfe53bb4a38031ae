package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/tokens"
)

// habitual is a session that reads a file, reads it again unchanged, keeps both results for many requests, and reads the
// file once more after a compaction.
func habitual(model string) Report {
	m := NewMeter(tokens.Builtin(), Session{ID: "s", Project: "/p", Compacts: true})
	n := 0
	ask := func(pieces ...Piece) {
		n++
		m.Add(Entry{ID: fmt.Sprint("a", n), Pieces: pieces,
			Request: asked(fmt.Sprint("r", n), model,
				tokens.Used{CacheRead: int64(900 * n), CacheWrite: 900, Output: 5})})
	}
	read := func(tokens int) {
		id := fmt.Sprint("c", n)
		ask(Piece{Class: Assistant, Tokens: 5, Call: id, Action: &Action{Tool: "Read", Read: "/p/a.go"}})
		m.Add(Entry{ID: id, Pieces: []Piece{{Class: Result, Tokens: tokens, Call: id, Text: "package a"}}})
	}
	read(4_000)
	read(3_000)
	for range longKept + 1 {
		ask()
	}
	m.Add(Entry{ID: "cut", Compaction: &Compaction{Before: 20_000}})
	read(2_000)
	ask()
	return Merge([]*Measured{m.End()}, time.UTC)
}

// TestTheHabitsThatCostMostAreNamed: each with what to do, the most expensive first, and no result in two of them.
func TestTheHabitsThatCostMostAreNamed(t *testing.T) {
	r := habitual("claude-sonnet-4-5")
	if len(r.Habits) != maxHabits {
		t.Fatalf("%d habits: %v", len(r.Habits), r.Habits)
	}
	results := r.Filled[Result].Dollars - r.Lost.Reread.Dollars
	for i, h := range r.Habits {
		if i > 0 && h.Dollars > r.Habits[i-1].Dollars {
			t.Errorf("%v comes after %v", h, r.Habits[i-1])
		}
		if !strings.HasPrefix(h.String(), "≈$") || !strings.HasSuffix(h.String(), h.Name+": "+h.Advice) {
			t.Errorf("%q", h)
		}
		if strings.Contains(h.Name, "not changed") || strings.Contains(h.Name, "more than 20 requests") {
			results -= h.Dollars
		}
	}
	if !near(results, 0) {
		t.Errorf("$%f of the results are in no habit, or in two: %v", results, r.Habits)
	}
}

// TestHabitsWithoutAPriceCostTokens: a session of a model without a price has habits, too.
func TestHabitsWithoutAPriceCostTokens(t *testing.T) {
	for _, h := range habitual("unheard-of").Habits {
		if !strings.Contains(h.Cost(), " tokens") || h.Sent <= 0 {
			t.Errorf("%v", h)
		}
	}
	if none := Merge(nil, time.UTC).Habits; len(none) != 0 {
		t.Errorf("nothing was measured, and has habits: %v", none)
	}
}
