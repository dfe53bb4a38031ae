package attribution

import (
	"testing"

	"ctxledger.dev/changes"
	"ctxledger.dev/sessions"
)

func TestPathsAreThoseOfASessionsTree(t *testing.T) {
	l := NewTrees("/w", nil, nil)
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

func TestChangesOfAnotherTreeAreNotThoseOfThisFile(t *testing.T) {
	list := []changes.Change{{ID: 3, Tree: "/b"}, {ID: 2}, {ID: 1, Tree: "/c"}}
	for tree, want := range map[string]int64{"": 2, "/b": 3, "/c": 1} {
		if got := InTree(append([]changes.Change(nil), list...), tree); len(got) != 1 || got[0].ID != want {
			t.Errorf("%q: %+v", tree, got)
		}
	}
}
