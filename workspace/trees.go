package workspace

import (
	"path/filepath"
	"slices"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
)

// maxTrees bounds how many linked worktrees of a repository are read.
const maxTrees = 256

// Trees returns the roots that share the ledger of a root, including that root, sorted: its place in the main
// tree and in every linked worktree of the repository. Each tree must have a .git that refers to the repository.
// root may be a bare repository, too.
func Trees(e env.Env, root string) []string {
	r := newRefusals(e)
	list := []string{root}
	id, _ := identify(root, r)
	if id.common == "" {
		id.common, id.inside = root, "." // it may be a bare repository
	}
	for _, top := range append(linkedTrees(id.common), mainTree(id.common)) {
		tree, ok := directory(filepath.Join(top, id.inside))
		if !ok || slices.Contains(list, tree) {
			continue
		}
		if up, _ := enclosing(tree, r, Marker, gitName); up != tree {
			continue // a subdirectory there, and no workspace
		}
		if other, _ := identify(tree, r); other.key == id.key {
			list = append(list, tree)
		}
	}
	slices.Sort(list)
	return list
}

// Around returns the root of the workspace of a process that is started in dir. dir need not exist.
func Around(e env.Env, dir string) string {
	dir = filepath.Clean(dir)
	if up, _ := enclosing(dir, newRefusals(e), Marker, gitName); up != "" {
		return up
	}
	return dir
}

// linkedTrees returns the directories that a repository names as its linked worktrees.
func linkedTrees(common string) (tops []string) {
	const most = 4096 // directories of worktrees, including removed ones
	repository, err := safefs.Open(common)
	if err != nil {
		return nil
	}
	defer repository.Close()                              // only read
	entries, _, _ := repository.List(worktreesName, most) // an error means no worktrees
	for _, e := range entries {
		if e.Kind != safefs.Dir || e.Link || len(tops) == maxTrees {
			continue
		}
		back := readLink(repository, worktreesName+"/"+e.Name+"/gitdir")
		if filepath.Base(back) == gitName && sameVolume(common, back) {
			dir := filepath.Join(common, worktreesName, e.Name)
			tops = append(tops, filepath.Dir(relativeTo(dir, back)))
		}
	}
	return tops
}

// mainTree returns the main tree of a repository, or the git directory if it has none or does not name it.
func mainTree(common string) string {
	if filepath.Base(common) == gitName {
		return filepath.Dir(common)
	}
	tree, err := safefs.Open(common)
	if err != nil {
		return common
	}
	defer tree.Close() // only read
	named := coreWorktree(tree)
	if named == "" || !sameVolume(common, named) {
		return common
	}
	if top, ok := directory(relativeTo(common, named)); ok {
		return top
	}
	return common
}
