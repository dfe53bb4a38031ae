//go:build unix

package workspace

import (
	"path/filepath"
	"syscall"
	"testing"
)

// Whatever of git's files is a named pipe is never waited for.
func TestPipesInThePlaceOfGitsFilesHangNothing(t *testing.T) {
	for _, name := range []string{
		"p/tree/.git", "p/shop/.git/worktrees/tree/gitdir", "p/shop/.git/worktrees/tree/commondir",
		"p/lib/.git", "p/shop/.git/modules/lib/config", "p/shop/.git/modules/lib/config.worktree",
		"p/shop/.git/modules/lib/commondir",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for path, text := range map[string]string{
				"p/tree/.git":                          "gitdir: ../shop/.git/worktrees/tree",
				"p/shop/.git/worktrees/tree/gitdir":    "../../../../tree/.git",
				"p/shop/.git/worktrees/tree/commondir": "../..",
				"p/lib/.git":                           "gitdir: ../shop/.git/modules/lib",
				"p/shop/.git/modules/lib/config":       "[core]\nworktree = ../../../../lib",
			} {
				if path != name {
					w.link(path, text)
				}
			}
			w.dir(filepath.ToSlash(filepath.Dir(name)))
			must(t, syscall.Mkfifo(w.path(name), 0o600))
			for _, dir := range []string{"p/tree", "p/lib"} {
				w.find(Options{Flag: w.path(dir)})
			}
		})
	}
}
