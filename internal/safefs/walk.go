package safefs

import (
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Walked is a directory that Walk found, or could not enter.
type Walked struct {
	Path string // by which it was found: the links in it are those that Target follows
	At   string // the same below the root, with slashes; "." is the root
	Err  error  // why it was not entered; nil: it was
	Link bool   // it was found by a link

	tree    *Tree
	at      string // in the tree
	entries []fs.DirEntry
	read    bool
}

// Entries returns what is in a directory, sorted by name, as long as the walk is there. Errors, with the entries that could
// be read: those of the system.
func (d *Walked) Entries() ([]fs.DirEntry, error) {
	if !d.read && d.Err == nil {
		d.read = true
		d.entries, d.Err = d.tree.ReadDir(d.at)
	}
	return d.entries, d.Err
}

// Walk yields a directory and those below it, at most so many levels down, that enter accepts by their path below the root;
// nil accepts all. It follows the links that Target follows, and yields each directory once, whatever leads to it. What is
// below a directory is looked at after it was yielded.
func Walk(root string, levels int, enter func(at string) bool) iter.Seq[*Walked] {
	return func(yield func(*Walked) bool) {
		w := walk{levels, enter, map[string]bool{}, yield}
		d := &Walked{Path: root, At: "."}
		real, err := filepath.EvalSymlinks(root)
		if err == nil {
			d.tree, err = Open(root)
		}
		if d.Err = err; err != nil {
			yield(d)
			return
		}
		w.tree(d, real)
	}
}

type walk struct {
	levels int
	enter  func(at string) bool
	seen   map[string]bool // directories, by their paths without links
	yield  func(*Walked) bool
}

// tree walks the tree of a directory that was just opened, and reports whether to go on.
func (w *walk) tree(d *Walked, real string) bool {
	defer d.tree.Close() // only read
	d.at = "."
	return w.dir(d, real)
}

// dir walks a directory and what is below it.
func (w *walk) dir(d *Walked, real string) bool {
	if w.seen[real] {
		return true
	}
	w.seen[real] = true
	if !w.yield(d) {
		return false
	}
	if depth(d.At) >= w.levels {
		return true
	}
	entries, _ := d.Entries() // who reads them sees the error
	for _, e := range entries {
		link := e.Type()&fs.ModeSymlink != 0
		below := &Walked{Path: filepath.Join(d.Path, e.Name()), At: path.Join(d.At, e.Name()), Link: link, tree: d.tree,
			at: path.Join(d.at, e.Name())}
		more := true
		switch {
		case !link && !e.IsDir() || w.enter != nil && !w.enter(below.At):
		case link:
			more = w.link(below)
		default:
			more = w.dir(below, filepath.Join(real, e.Name()))
		}
		if !more {
			return false
		}
	}
	return true
}

// link walks what a link leads to, if that is a directory.
func (w *walk) link(d *Walked) bool {
	real, info, err := Target(d.Path)
	if err == nil && !info.IsDir() || err != nil && info != nil && !info.IsDir() {
		return true
	}
	if err == nil {
		d.tree, err = OpenTargetTree(d.Path)
	}
	if d.Err = err; err != nil {
		return w.yield(d)
	}
	return w.tree(d, real)
}

// depth returns how many levels a path is below the root.
func depth(at string) int {
	if at == "." {
		return 0
	}
	return strings.Count(at, "/") + 1
}

// OpenFound opens a regular file at a path below a root, in a directory that Walk can find there, or by a link that Target
// follows. No other link is followed, even if it replaces a directory meanwhile. Errors: those of OpenTarget and
// OpenTargetTree.
func OpenFound(root, name string) (*os.File, fs.FileInfo, error) {
	rel, err := filepath.Rel(root, name)
	if err != nil {
		return nil, nil, err
	}
	tree, err := Open(root)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = tree.Close() }() // only read
	dirs := strings.Split(rel, string(filepath.Separator))
	for at := root; len(dirs) > 1; dirs = dirs[1:] {
		at = filepath.Join(at, dirs[0])
		next, err := tree.below(dirs[0], at)
		if err != nil {
			return nil, nil, err
		}
		_ = tree.Close() // only read
		tree = next
	}
	info, err := tree.root.Lstat(dirs[0])
	if err != nil {
		return nil, nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return OpenTarget(name)
	}
	f, opened, err := tree.Open(dirs[0])
	if err == nil && !os.SameFile(info, opened) {
		_ = f.Close() // nothing was read
		return nil, nil, replaced(name)
	}
	return f, opened, err
}

// below opens a directory of a tree as a tree of its own. path is where it is.
func (t *Tree) below(name, path string) (*Tree, error) {
	info, err := t.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return OpenTargetTree(path)
	}
	root, err := t.root.OpenRoot(name + itself)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		_ = root.Close() // nothing was read
		return nil, replaced(path)
	}
	return &Tree{path: path, root: root, escapes: t.escapes}, nil
}
