package attribution

import (
	"testing"

	"ctxledger.dev/changes"
	"ctxledger.dev/sessions"
)

func TestPathsAreThoseOfASessionsTree(t *testing.T) {
	l := NewTrees("/w", nil, nil, nil)
	for _, c := range []struct {
		name, dir, tree, in, want string
		outside                   bool
	}{
		{"the main tree", "/w", "/w", "a.go", "a.go", false},
		{"a subdirectory", "/w/sub", "/w", "a.go", "sub/a.go", false},
		{"a worktree", "/b", "/b", "a.go", "a.go", false},
		{"a worktree's subdirectory", "/b/sub", "/b", "a.go", "sub/a.go", false},
		{"a worktree's subdirectory, upwards", "/b/sub", "/b", "../a.go", "a.go", false},
		{"the main tree's file from a worktree", "/b", "/b", "/w/a.go", "/w/a.go", true},
		{"a worktree's file from the main tree", "/w", "/w", "/b/a.go", "/b/a.go", true},
		{"a worktree inside", "/w/.claude/worktrees/x", "/w/.claude/worktrees/x", "a.go", ".claude/worktrees/x/a.go",
			false},
		{"another machine", "/elsewhere/p", "", "a.go", "a.go", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, outside := l.pathOf(sessions.Session{Dir: c.dir, Tree: c.tree}, c.in)
			if got != c.want || outside != c.outside {
				t.Errorf("%q outside %v, want %q %v", got, outside, c.want, c.outside)
			}
		})
	}
}

// TestSessionsOfAFormerRootAreOfTheRoot: their ledger was taken over, and the files are the same.
func TestSessionsOfAFormerRootAreOfTheRoot(t *testing.T) {
	l := NewTrees("/new/app", []string{"/old/app", "/older"}, nil, nil)
	for _, c := range []struct {
		dir, tree, in, want string
		of                  bool
		apart               string
	}{
		{"/old/app", "/old/app", "a.go", "a.go", true, ""},
		{"/old/app/sub", "/old/app", "/old/app/a.go", "a.go", true, ""},
		{"/old/app", "/old/app", "/new/app/a.go", "a.go", true, ""}, // it went on after the move
		{"/older", "/older", "a.go", "a.go", true, ""},
		{"/old/app2", "/old/app2", "/old/app/a.go", "/old/app/a.go", false, "/old/app2"},
		{"/new/app", "/new/app", "/old/app/a.go", "/old/app/a.go", true, ""}, // another project's, if there is one
	} {
		s := sessions.Session{Dir: c.dir, Tree: c.tree}
		got, _ := l.pathOf(s, c.in)
		if of, apart := l.IsOf(s, "/new/app"), l.Apart(s); got != c.want || of != c.of || apart != c.apart {
			t.Errorf("%+v: %q, of the root: %v, apart: %q", c, got, of, apart)
		}
	}
}

func TestChangesOfAnotherTreeAreNotThoseOfThisFile(t *testing.T) {
	list := []changes.Change{{ID: 3, Tree: "/b"}, {ID: 2}, {ID: 1, Tree: "/c"}}
	for tree, want := range map[string]int64{"": 2, "/b": 3, "/c": 1} {
		if got := inTree(append([]changes.Change(nil), list...), tree); len(got) != 1 || got[0].ID != want {
			t.Errorf("%q: %+v", tree, got)
		}
	}
}
