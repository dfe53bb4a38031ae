package live

import (
	"testing"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// TestADeletionIsAnotherState: a finding on a file that was changed, and then deleted, went on to say that it was changed,
// since what is known of the file had not changed for the editor.
func TestADeletionIsAnotherState(t *testing.T) {
	r := newReader(sessions.Session{})
	state := func(s changes.Stale) File {
		r.known = ledger.ChangesResponse{Stale: []changes.Stale{s}}
		return r.snapshot(tokens.Scale{})["a.go"]
	}
	changed := state(changes.Stale{Path: "a.go", By: changes.External})
	deleted := state(changes.Stale{Path: "a.go", By: changes.External, Gone: true})
	if changed == deleted || !deleted.Gone || !deleted.Known() || deleted.Knew() != "wrote" {
		t.Errorf("changed: %+v, deleted: %+v", changed, deleted)
	}
}

// TestWhatTheHostCompactedAwayIsNotInItsWindow: a lens said that reads had more of the window than it holds.
func TestWhatTheHostCompactedAwayIsNotInItsWindow(t *testing.T) {
	r := newReader(sessions.Session{})
	read := func(id string) {
		r.take(sessions.Entry{Calls: []sessions.Call{{ID: id, Op: intents.OpRead, Target: "a.go", Tokens: 10}}})
		r.take(sessions.Entry{HostID: id, Results: []sessions.Result{{CallID: id, Tokens: 90}}})
	}
	compacted := func(kept ...string) {
		r.take(sessions.Entry{Kind: sessions.KindNote, Cut: &sessions.HostCut{Kept: kept}})
		r.take(sessions.Entry{Kind: sessions.KindMessage, Earlier: true, Hidden: true})
	}
	is := func(took, left int, lost bool) {
		t.Helper()
		by := tokens.Scale{N: tokens.Scaled}
		f := r.snapshot(by)["a.go"]
		if f.Took != by.Of(took) || f.Left != by.Of(left) || f.Lost() != lost || f.Dropped != (left < took) {
			t.Errorf("the file is %+v", f)
		}
	}
	read("1")
	read("2")
	is(200, 200, false)
	compacted("2")
	is(200, 100, false)
	compacted()
	is(200, 0, true)
	read("3")
	is(300, 100, false)
}
