package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/safefs"
)

const (
	// gitName is the directory of a repository, or the file that names it.
	gitName = ".git"
	// worktreesName is the directory of a repository that holds one directory for each linked worktree.
	worktreesName = "worktrees"
	// linkSize bounds the files that link a worktree to its repository, in bytes: each is one path.
	linkSize = 8 << 10
	// configSize bounds the configuration of a repository, in bytes: one with 5,000 branches fits.
	configSize = 1 << 20
	// shownLink bounds the quotation of a path from a .git file, in bytes.
	shownLink = 160
)

// commonDir returns the git directory that all worktrees of the repository at top share, without symbolic
// links. It is "" when .git is broken or names a repository that does not link back: apart then says why.
// An unpacked archive may contain any .git file, but cannot write into another repository.
func commonDir(top string) (common, apart string) {
	tree, err := safefs.Open(top)
	if err != nil {
		return "", "its .git cannot be read"
	}
	defer tree.Close() // only read
	info, err := tree.Stat(gitName)
	switch {
	case err != nil:
		return "", "its .git cannot be read"
	case info.Link:
		return linked(top, filepath.Join(top, gitName), "symbolic link")
	case info.Kind == safefs.Dir:
		if tree.Read(gitName+"/commondir", linkSize) != nil { // only directories of linked worktrees have it
			apart = "the commondir file in its .git directory is not followed"
		}
		return filepath.Join(top, gitName), apart
	}
	named, ok := strings.CutPrefix(string(tree.Read(gitName, linkSize)), "gitdir:")
	if !ok {
		return "", "its .git is neither a directory nor a file that names one"
	}
	return linked(top, relativeTo(top, strings.TrimSpace(named)), "file")
}

// linked is commonDir for a .git of some kind that names another git directory.
func linked(top, named, kind string) (common, apart string) {
	shown := named
	if kind != "file" {
		shown, _ = os.Readlink(named) // gone since: shown as ""
	}
	names := fmt.Sprintf("its .git %s names %q", kind, shown[:min(len(shown), shownLink)])
	if !sameVolume(top, named) {
		return "", names + ", which is on another machine"
	}
	dir, ok := directory(named)
	if !ok {
		return "", names + ", which is not a directory"
	}
	if common, ok = linksBack(dir, top); !ok {
		return "", names + ", which does not link back"
	}
	return common, ""
}

// linksBack returns the repository of a git directory, if that names top as its worktree: a linked worktree
// in the gitdir file, a submodule in core.worktree.
func linksBack(dir, top string) (common string, ok bool) {
	tree, err := safefs.Open(dir)
	if err != nil {
		return "", false
	}
	defer tree.Close() // only read
	if shared := readLink(tree, "commondir"); shared != "" {
		above, back := filepath.Dir(dir), readLink(tree, "gitdir")
		common = filepath.Dir(above)
		return common, filepath.Base(above) == worktreesName && sameDir(relativeTo(dir, shared), common) &&
			filepath.Base(back) == gitName && sameDir(filepath.Dir(relativeTo(dir, back)), top)
	}
	worktree := coreWorktree(tree)
	return dir, worktree != "" && sameDir(relativeTo(dir, worktree), top)
}

// readLink returns the path in a small file; "" when there is none.
func readLink(tree *safefs.Tree, name string) string {
	return strings.TrimSpace(string(tree.Read(name, linkSize)))
}

// coreWorktree returns the worktree that the configuration of a repository names; "" for none.
func coreWorktree(tree *safefs.Tree) string {
	for _, name := range []string{"config.worktree", "config"} { // the first, if extensions.worktreeConfig is on
		if v, ok := gitSetting(string(tree.Read(name, configSize)), "core", "worktree"); ok {
			return v
		}
	}
	return ""
}

// sameDir reports whether two paths refer to the same directory.
func sameDir(a, b string) bool {
	if !sameVolume(b, a) {
		return false
	}
	x, err := os.Stat(a)
	if err != nil || !x.IsDir() {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// sameVolume reports whether a path can be read without a connection to a machine other than that of dir:
// Windows connects to the machine that a path names.
func sameVolume(dir, path string) bool {
	volume := filepath.VolumeName(path)
	return len(volume) <= len("c:") || strings.EqualFold(volume, filepath.VolumeName(dir))
}

// relativeTo returns path, taken as relative to dir unless it is absolute.
func relativeTo(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
