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
		return r.snapshot(tokens.Scale{}, false, ledger.Info{})["a.go"]
	}
	changed := state(changes.Stale{Path: "a.go", By: changes.External})
	deleted := state(changes.Stale{Path: "a.go", By: changes.External, Gone: true})
	if changed == deleted || !deleted.Gone || !deleted.Known() || deleted.Knew() != "wrote" {
		t.Errorf("changed: %+v, deleted: %+v", changed, deleted)
	}
}

// TestWhatTheWindowHasOfAFile: a lens said that reads had more of the window than it holds.
func TestWhatTheWindowHasOfAFile(t *testing.T) {
	by := tokens.Scale{N: tokens.Scaled}
	for held, lost := range map[int]bool{0: true, 90: false, 200: false} {
		r := newReader(sessions.Session{})
		r.known.Reads = []ledger.FileReads{{Path: "a.go", Reads: 2, Tokens: tokens.Amount{O200k: 200},
			Held: tokens.Amount{O200k: held}}}
		f := r.snapshot(by, false, ledger.Info{})["a.go"]
		if f.Reads != 2 || f.Took != by.Of(200) || f.Left != by.Of(held) || f.Lost() != lost ||
			f.Dropped != (held < 200) {
			t.Errorf("with %d tokens held: %+v", held, f)
		}
	}
	for _, e := range []sessions.Entry{{Results: []sessions.Result{{}}}, {Prompt: true, HostParent: "1"},
		{Kind: sessions.KindRewind}, {Kind: sessions.KindMessage, Earlier: true, Hidden: true},
		{Calls: []sessions.Call{{Op: intents.OpRead}}}, {Told: "a.go"},
		{Usage: &sessions.Usage{}}} {
		r := newReader(sessions.Session{})
		r.unsure = false
		if r.take(e); !r.unsure {
			t.Errorf("nothing was asked after %+v", e)
		}
	}
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
		if got := r.snapshot(tokens.Scale{}, false, in); len(got) != 1 || !got[c.want].Fresh {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// TestWhatWasAskedOfAFile: only the newest read says whether the agent wants all of a file. A write does not.
func TestWhatWasAskedOfAFile(t *testing.T) {
	r := newReader(sessions.Session{})
	read := sessions.Call{Op: intents.OpRead, Target: "a"}
	part, write := read, sessions.Call{Op: intents.OpWrite, Target: "a"}
	part.Partial = true
	printed := sessions.Call{Op: intents.OpShell, Target: "cat a", Prints: "a"}
	for i, c := range []struct {
		call  sessions.Call
		whole bool
	}{{write, false}, {read, true}, {write, true}, {part, false}, {write, false}, {read, true}, {printed, false}} {
		r.take(sessions.Entry{Calls: []sessions.Call{c.call}})
		if f := r.snapshot(tokens.Scale{}, false, ledger.Info{})["a"]; !f.Touched || f.Whole != c.whole {
			t.Errorf("%d: %+v", i, f)
		}
	}
}
