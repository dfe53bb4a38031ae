package attribution

import (
	"os"
	"path/filepath"
	"strings"
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
			got, outside := l.pathOf(sessions.Session{Dir: c.dir, Tree: c.tree}, c.in, false)
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
		got, _ := l.pathOf(s, c.in, false)
		if of, apart := l.IsOf(s, "/new/app"), l.Apart(s); got != c.want || of != c.of || apart != c.apart {
			t.Errorf("%+v: %q, of the root: %v, apart: %q", c, got, of, apart)
		}
	}
}

// TestAFileHasOnePathWhateverLinksLeadToIt: a file that was read through a link to it had a record of its own, in which no change
// was seen, and a session that was started through a link to the workspace had none of its files.
func TestAFileHasOnePathWhateverLinksLeadToIt(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, fix := top+"/w", top+"/fix"
	for _, dir := range []string{root + "/real/deep", fix, top + "/outside"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{root + "/real/a.md", fix + "/a.md", top + "/outside/a.md"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"w/a.md": "real/a.md", "w/b.md": "a.md", "w/dir": "real", "w/out.md": top + "/outside/a.md",
		"w/gone.md": "nothing", "w/loop": "loop", "to-w": root, "to-real": root + "/real",
		"fix/b.md": "a.md", "to-fix": fix,
	} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	l := NewTrees(root, nil, func() []string { return []string{root, fix} }, nil)
	for _, c := range []struct {
		dir, in, want string
		entry         bool // what is deleted or moved
	}{
		{root, "real/a.md", "real/a.md", false},
		{root, "a.md", "real/a.md", false},
		{root, "b.md", "real/a.md", false},
		{root, "dir/a.md", "real/a.md", false},
		{root, "dir/deep/new/x.md", "real/deep/new/x.md", false},
		{root, root + "/dir", "real", false},
		{root, "a.md", "a.md", true},
		{root, "dir/a.md", "real/a.md", true},
		{root, "out.md", "out.md", false},
		{root, "gone.md", "gone.md", false},
		{root, "loop/x.md", "loop/x.md", false},
		{root, top + "/to-w/a.md", "real/a.md", false},
		{root, top + "/outside/a.md", top + "/outside/a.md", false},
		{root + "/dir", "a.md", "real/a.md", false},
		{top + "/to-w", "a.md", "real/a.md", false},
		{top + "/to-w", root + "/real/a.md", "real/a.md", false},
		{top + "/to-real", "a.md", "real/a.md", false},
		{top + "/to-real", top + "/to-real/new.md", "real/new.md", false},
		{fix, "b.md", "a.md", false},
		{top + "/to-fix", "b.md", "a.md", false},
		{"/another/machine", "a.md", "a.md", false},
	} {
		s := sessions.Session{Dir: c.dir, Tree: l.TreeOf(c.dir)}
		if got, outside := l.pathOf(s, c.in, c.entry); got != c.want || outside != strings.HasPrefix(c.want, "/") {
			t.Errorf("%+v, of the tree %q: %q, outside %v", c, s.Tree, got, outside)
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
