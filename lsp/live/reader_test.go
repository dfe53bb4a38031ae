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
		return r.snapshot(tokens.Scale{}, ledger.Info{})["a.go"]
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
		f := r.snapshot(by, ledger.Info{})["a.go"]
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

// TestAFileOfAnotherTreeIsNotThatOfThisOne: the lens of a file said that it was read, which was the file of that name in
// another worktree.
func TestAFileOfAnotherTreeIsNotThatOfThisOne(t *testing.T) {
	const main, nested, fix = "/w", "/w/trees/try", "/fix"
	for _, c := range []struct {
		name, tree, here, read string
		want                   string // the path that was read, as seen from here
	}{
		{"the main tree, from there", "", main, "a.go", "a.go"},
		{"a worktree, from there", fix, fix, "a.go", "a.go"},
		{"a worktree, from the main tree", fix, main, "a.go", "/fix/a.go"},
		{"the main tree, from a worktree", "", fix, "a.go", "/w/a.go"},
		{"a file of a worktree by a session of the main tree", "", fix, "/fix/a.go", "a.go"},
		{"a worktree inside the main tree", "", nested, "trees/try/a.go", "a.go"},
	} {
		r := newReader(sessions.Session{})
		r.known = ledger.ChangesResponse{Tree: c.tree, Fresh: []string{c.read}}
		in := ledger.Info{Workspace: c.here}
		if c.here != main {
			in.Main = main
		}
		if got := r.snapshot(tokens.Scale{}, in); len(got) != 1 || !got[c.want].Fresh {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}
