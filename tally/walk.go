package tally

import (
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
// not ignore. Links are not followed, and .git is left out.
type walker struct {
	// yield takes a file, or a directory that could not be read, with its Err. An error of yield ends the walk.
	yield   func(x *Text, e fs.DirEntry) error
	ignored int // files and directories left out because git ignores them
}

// repository is what git ignores in one tree.
type repository struct {
	tree  *safefs.Tree
	rules *ignore.Rules // nil: nothing is ignored
}

// openRepository reads what git ignores below a directory.
func openRepository(root string) (*repository, error) {
	tree, err := safefs.Open(root)
	if err != nil {
		return nil, err
	}
	read := func(name string) []byte {
		if _, err := os.Lstat(filepath.Join(root, name)); err != nil {
			return nil // mostly there is none, and the tree opens all that lies above a path one by one
		}
		return tree.Read(name, ignore.FileSize)
	}
	return &repository{tree, ignore.New(read)}, nil
}

// ignores reports whether git ignores a path of the repository.
func (r *repository) ignores(name string, dir bool) bool {
	return r.rules != nil && r.rules.Ignored(name, dir)
}

// named walks through a directory that the user named. The rules of the repository around it count; where
// there is none, those of the directory itself. A directory that git ignores is walked through all the
// same, since it was asked for: then nothing in it is ignored.
func (w *walker) named(name, place string) error {
	resolved, err := filepath.EvalSymlinks(place)
	if err != nil {
		return w.failed(name, err)
	}
	root := repositoryOf(resolved)
	repo, err := openRepository(root)
	if err != nil {
		return w.failed(name, err)
	}
	defer repo.tree.Close() //nolint:errcheck // opened for reading
	rel, err := filepath.Rel(root, resolved)
	if err != nil {
		return fault.Wrap(fault.Internal, "tally.dir", err) // root is resolved or lies above it
	}
	if rel = filepath.ToSlash(rel); repo.ignores(rel, true) {
		repo.rules = nil
	}
	return w.dir(repo, rel, name, resolved)
}

// failed hands on a directory that cannot be read.
func (w *walker) failed(name string, err error) error {
	return w.yield(&Text{Name: name, Err: err}, nil)
}

// repositoryOf returns the root of the repository that a directory lies in, or the directory.
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
func (w *walker) dir(repo *repository, rel, name, place string) error {
	entries, err := os.ReadDir(place)
	if err != nil { // the entries that could be read go on
		if err := w.failed(name, err); err != nil {
			return err
		}
	}
	if rel != "." && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == gitName }) {
		inner, err := openRepository(place)
		if err != nil {
			return w.failed(name, err)
		}
		defer inner.tree.Close() //nolint:errcheck // opened for reading
		repo, rel = inner, "."
	}
	for _, e := range entries {
		if err := w.entry(repo, path.Join(rel, e.Name()), filepath.Join(name, e.Name()), filepath.Join(place, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

// entry looks at one entry of a directory.
func (w *walker) entry(repo *repository, rel, name, place string, e fs.DirEntry) error {
	switch {
	case e.Name() == gitName, !e.IsDir() && !e.Type().IsRegular():
		return nil
	case repo.ignores(rel, e.IsDir()):
		w.ignored++
		return nil
	case !e.IsDir():
		return w.yield(&Text{Name: name, Place: place}, e)
	}
	return w.dir(repo, rel, name, place)
}
