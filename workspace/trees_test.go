package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTreesAreThoseThatLinkBack: each case makes trees of p/shop. trees are those that share its ledger, seen
// from the place from, by default p/shop.
func TestTreesAreThoseThatLinkBack(t *testing.T) {
	for _, c := range []struct {
		name, from, main string
		make             func(w *world)
		trees            []string
	}{
		{"the main tree alone", "p/shop", "p/shop", func(w *world) {}, []string{"p/shop"}},
		{"worktrees, one inside another", "p/shop", "p/shop", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../b")
			w.git("p/shop", "worktree", "add", "-q", ".claude/worktrees/a")
		}, []string{"p/b", "p/shop", "p/shop/.claude/worktrees/a"}},
		{"seen from a worktree", "p/b", "p/shop", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../b")
		}, []string{"p/b", "p/shop"}},
		{"one was removed", "p/shop", "p/shop", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../b")
			must(w.t, os.RemoveAll(w.path("p/b")))
		}, []string{"p/shop"}},
		{"one was moved without git", "p/shop", "p/shop", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../b")
			must(w.t, os.Rename(w.path("p/b"), w.path("p/c")))
		}, []string{"p/shop"}},
		{"a tree of somebody else is named", "p/shop", "p/shop", func(w *world) {
			w.repository("p/theirs")
			w.link("p/shop/.git/worktrees/x/gitdir", w.path("p/theirs/.git"))
			w.link("p/shop/.git/worktrees/x/commondir", "../..")
		}, []string{"p/shop"}},
		{"a worktree of somebody else is named", "p/shop", "p/shop", func(w *world) {
			w.repository("p/theirs")
			w.git("p/theirs", "worktree", "add", "-q", "../b")
			w.link("p/shop/.git/worktrees/x/gitdir", w.path("p/b/.git"))
		}, []string{"p/shop"}},
		{"a clone and a submodule", "p/shop", "p/shop", func(w *world) {
			w.git("p", "clone", "-q", "shop", "clone")
			w.git("p/shop", "submodule", "--quiet", "add", "../clone", "lib")
		}, []string{"p/shop"}},
		{"worktrees of a submodule", "p/b", "p/shop/lib", func(w *world) {
			w.git("p", "clone", "-q", "shop", "clone")
			w.git("p/shop", "submodule", "--quiet", "add", "../clone", "lib")
			w.git("p/shop/lib", "worktree", "add", "-q", w.path("p/b"))
		}, []string{"p/b", "p/shop/lib"}},
		{"a bare repository", "p/b", "p/bare.git", func(w *world) {
			w.git("p", "clone", "-q", "--bare", "shop", "bare.git")
			w.git("p/bare.git", "worktree", "add", "-q", "../a")
			w.git("p/bare.git", "worktree", "add", "-q", "../b")
		}, []string{"p/a", "p/b"}},
		{"a workspace inside", "p/shop/in", "p/shop/in", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../b")
			w.git("p/shop", "worktree", "add", "-q", "../c")
			w.file("p/shop/in/"+Marker, "")
			w.file("p/b/in/"+Marker, "")
			w.dir("p/c/in")
		}, []string{"p/b/in", "p/shop/in"}},
		{"a repository in the home directory", "people/ada", "", func(w *world) { w.dir("people/ada/.git") }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.repository("p/shop")
			c.make(w)
			var want []string
			for _, name := range c.trees {
				want = append(want, w.path(name))
			}
			w.env.Dir = w.path(c.from)
			ws := w.find(Options{})
			if c.trees == nil {
				if ws.Root != "" {
					t.Errorf("%+v", ws)
				}
				return
			}
			if got := Trees(w.env, ws.Root); !slices.Equal(got, want) || ws.Main != w.path(c.main) {
				t.Errorf("trees %q, main %s; want %q, %s", got, ws.Main, want, c.main)
			}
			for _, tree := range want {
				if all := Trees(w.env, ws.Main); !slices.Contains(all, tree) {
					t.Errorf("the main tree knows of %q, not of %s", all, tree)
				}
			}
		})
	}
}

func TestAroundIsWhatAProcessFinds(t *testing.T) {
	w := newWorld(t)
	w.file("p/shop/in/"+Marker, "")
	w.dir("p/shop/.git")
	w.dir("people/ada/.git")
	for dir, want := range map[string]string{
		"p/shop": "p/shop", "p/shop/sub/gone": "p/shop", "p/shop/in/x": "p/shop/in", "p/shop-evil": "p/shop-evil",
		"p/shop/../other": "p/other", "people/ada/notes": "people/ada/notes",
	} {
		if got := Around(w.env, filepath.Dir(w.path("p"))+"/"+dir); got != w.path(want) {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}
