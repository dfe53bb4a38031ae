package filecount

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/ignore"
	"ctxledger.dev/internal/safefs"
)

// gitName is the directory, or in linked worktrees and submodules the file, that marks a repository.
const gitName = ".git"

// walker finds the files below a directory in the order of their names: regular files that git does
// not ignore. Links are not followed, and .git is left out. All is read through tree: a swap of a
// directory or a file for a link meanwhile does not lead out of it.
type walker struct {
	tree *safefs.Tree
	root string // where the tree is
	// yield takes a file, or a directory that could not be read, with its Err. An error of yield ends the walk.
	yield   func(x *Text, e fs.DirEntry) error
	ignored int // files and directories left out because git ignores them
}

// repository is what git ignores in one.
type repository struct {
	rules *ignore.Rules // nil: nothing is ignored
}

// repositoryIn reads what git ignores below a directory of a tree; root is where the tree is.
func repositoryIn(tree *safefs.Tree, root, dir string) *repository {
	return &repository{ignore.New(func(name string) []byte {
		name = path.Join(dir, name)
		if _, err := os.Lstat(filepath.Join(root, name)); errors.Is(err, fs.ErrNotExist) {
			return nil // mostly there is none, and the tree opens all that lies above a path one by one
		}
		return tree.Read(name, ignore.FileSize)
	})}
}

// ignores reports whether git ignores a path of the repository.
func (r *repository) ignores(name string, dir bool) bool {
	return r.rules != nil && r.rules.Ignored(name, dir)
}

// named walks through a directory that the user named. The rules of the repository around it count; where
// there is none, those of the directory itself. A directory that git ignores is walked through all the
// same, since it was asked for: then nothing in it is ignored.
func (w *walker) named(name string) error {
	root := repositoryOf(w.root)
	around, err := safefs.Open(root)
	if err != nil {
		return w.failed(name, err)
	}
	defer around.Close() // opened for reading
	repo := repositoryIn(around, root, ".")
	rel, err := filepath.Rel(root, w.root)
	if err != nil {
		return fault.Wrap(fault.Internal, "filecount.dir", err) // root is resolved or above it
	}
	if rel = filepath.ToSlash(rel); repo.ignores(rel, true) {
		repo.rules = nil
	}
	return w.dir(repo, rel, name, step{place: w.root, at: "."})
}

// step is where a walk is: a directory's place, and its path in the tree.
type step struct{ place, at string }

// into returns the step to an entry.
func (s step) into(name string) step {
	return step{filepath.Join(s.place, name), path.Join(s.at, name)}
}

// failed hands on a directory that cannot be read.
func (w *walker) failed(name string, err error) error {
	return w.yield(&Text{Name: name, Err: err}, nil)
}

// repositoryOf returns the root of the repository that contains a directory, or the directory.
func repositoryOf(dir string) string {
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Lstat(filepath.Join(root, gitName)); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			return dir
		}
	}
}

// dir walks through a directory: rel is its path in the repository, name what the user sees. A repository
// inside of another one has rules of its own.
func (w *walker) dir(repo *repository, rel, name string, here step) error {
	entries, err := w.tree.ReadDir(here.at)
	if err != nil { // the entries that could be read go on
		if err := w.failed(name, err); err != nil {
			return err
		}
	}
	if rel != "." && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == gitName }) {
		repo, rel = repositoryIn(w.tree, w.root, here.at), "."
	}
	for _, e := range entries {
		if err := w.entry(repo, path.Join(rel, e.Name()), filepath.Join(name, e.Name()), here.into(e.Name()),
			e); err != nil {
			return err
		}
	}
	return nil
}

// entry looks at one entry of a directory.
func (w *walker) entry(repo *repository, rel, name string, here step, e fs.DirEntry) error {
	switch {
	case e.Name() == gitName, !e.IsDir() && !e.Type().IsRegular():
		return nil
	case repo.ignores(rel, e.IsDir()):
		w.ignored++
		return nil
	case !e.IsDir():
		return w.yield(&Text{Name: name, Place: here.place, tree: w.tree, at: here.at}, e)
	}
	return w.dir(repo, rel, name, here)
}
