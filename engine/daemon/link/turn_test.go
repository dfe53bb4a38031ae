//go:build unix

package link

import (
	"path/filepath"
	"testing"
	"time"
)

func TestOneAtATimeHasTheTurnToStartAnOwner(t *testing.T) {
	state := t.TempDir()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	first, second, third := turn{patience: turnWait}, turn{patience: turnWait}, turn{patience: turnWait}
	defer first.end()
	defer second.end()
	defer third.end()
	if !first.take(state, now) {
		t.Fatal("a free turn cannot be had")
	}
	if second.take(state, now) || second.take(state, now.Add(turnWait-1)) {
		t.Error("two have the turn")
	}
	if !second.take(state, now.Add(turnWait)) {
		t.Error("somebody who was stopped holds up everybody")
	}
	second.lapse()
	if second.take(state, now.Add(turnWait)) {
		t.Error("who started a daemon out of turn does so again at once")
	}
	first.lapse()
	if second.take(state, now.Add(turnWait)) {
		t.Error("a turn that nobody else has lapsed")
	}
	first.end()
	if !third.take(state, now) {
		t.Error("the turn was not given back")
	}
}

// TestOneAtATimeStartsTheFirstOwner: while a ledger had no directory to lock, each of many clients started a daemon.
func TestOneAtATimeStartsTheFirstOwner(t *testing.T) {
	state := filepath.Join(t.TempDir(), "ledgers", "a")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	first, second := turn{patience: turnWait}, turn{patience: turnWait}
	defer first.end()
	if !first.take(state, now) || second.take(state, now) {
		t.Error("not exactly one of two has the turn")
	}
}
