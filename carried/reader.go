package carried

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/safefs"
)

// Limits on what is read.
const (
	maxFile  = 16 << 20 // bytes of one file
	maxFiles = 5_000    // files of all agents together
	maxDepth = 12       // directories below the one that an agent looks through
)

// reader reads files below the directories that may be read, each file once.
type reader struct {
	trees []tree
	files map[string]*file // by path
	fixed map[string]bool  // single files that may be read besides
	// opened returns the text of an open document; nil: none is open.
	opened  func(path string) (string, bool)
	edited  bool              // such texts are read instead of the files
	unsaved map[string]string // those that differ from their files, by path
	stamps  Stamps
}

// tree is a directory; its Tree is nil if there is none, or it cannot be opened.
type tree struct {
	dir string
	*safefs.Tree
}

// mark is a byte order mark, which is no part of text.
const mark = "\ufeff"

// absent is why there is no text where nothing is.
const absent = "there is no such file"

// file is a text that was read.
type file struct {
	path   string
	text   string
	reason string // why there is no text; "" if there is
	absent bool   // that nothing is there
	marked bool   // it began with a byte order mark
	info   fs.FileInfo
}

// is reports whether two paths lead to one file.
func (f *file) is(other *file) bool {
	return f.info != nil && other.info != nil && os.SameFile(f.info, other.info)
}

// open opens directories. Those that do not exist are empty.
func open(dirs ...string) *reader {
	r := &reader{files: map[string]*file{}, fixed: map[string]bool{}, unsaved: map[string]string{}, stamps: Stamps{}}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		t, err := safefs.Open(dir)
		if err != nil {
			t = nil // there is nothing to read
		}
		r.trees = append(r.trees, tree{filepath.Clean(dir), t})
	}
	return r
}

// allow lets one file be read that is in none of the directories.
func (r *reader) allow(path string) { r.fixed[filepath.Clean(path)] = true }

func (r *reader) close() {
	for _, t := range r.trees {
		if t.Tree != nil {
			_ = t.Close() // only read
		}
	}
}

// in returns the tree that a path is in, and the path below it with slashes.
func (r *reader) in(path string) (t tree, name string, ok bool) {
	for _, t := range r.trees {
		if rel, err := filepath.Rel(t.dir, path); err == nil && filepath.IsLocal(rel) {
			return t, filepath.ToSlash(rel), true
		}
	}
	return tree{}, "", false
}

// read returns a file. It never fails: why there is no text is said in the file.
func (r *reader) read(path string) *file {
	path = filepath.Clean(path)
	if f, known := r.files[path]; known {
		return f
	}
	f := &file{path: path}
	if len(r.files) >= maxFiles {
		f.reason = "not read: there are more than " + chars.Commas(maxFiles) + " files"
		return f
	}
	r.files[path] = f
	t, name, ok := r.in(path)
	if !ok && r.fixed[path] {
		f.takeAlone()
		r.replace(f)
		return f
	}
	if !ok {
		f.reason = "not read: it is outside the workspace and the agents' directories"
		return f
	}
	r.stamps[path] = stampOf(path) // before it is read: what happens later counts as a change
	if t.Tree == nil {
		f.absent, f.reason = true, absent
	} else if f.take(t, name); f.reason == outside {
		if t, name, ok := r.behind(path); ok {
			f.take(t, name)
		}
	}
	r.replace(f)
	return f
}

// replace notes where an open document has another text than its file that was read. Of a file that is there and cannot be
// read as text that is not known: an editor decodes it.
func (r *reader) replace(f *file) {
	if r.opened == nil || f.reason != "" && !f.absent {
		return
	}
	text, open := r.opened(f.path)
	if !open || strings.TrimPrefix(text, mark) == f.text {
		return
	}
	r.unsaved[f.path] = text
	if r.edited {
		f.absent, f.reason = false, ""
		f.set([]byte(text), nil)
	}
}

// behind returns the place in one of the trees that a link of another one leads to.
func (r *reader) behind(path string) (t tree, name string, ok bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return tree{}, "", false
	}
	t, name, ok = r.in(real)
	return t, name, ok && t.Tree != nil
}

// outside is why a file is not read that no tree has.
const outside = "not read: it points outside its directory, or is not a regular file"

// take reads the text of a file.
func (f *file) take(t tree, name string) {
	opened, info, err := t.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.absent, f.reason = true, absent
		return
	case err != nil:
		f.reason = whyNot(t, name, err)
		return
	}
	f.reason = ""
	defer opened.Close() // only read
	if info.Size() > maxFile {
		f.reason = "not read: it has " + chars.Commas(info.Size()) + " bytes"
		return
	}
	f.info = info
	raw, err := io.ReadAll(io.LimitReader(opened, maxFile))
	f.set(raw, err)
}

// whyNot says why a path of a tree cannot be opened.
func whyNot(t tree, name string, err error) string {
	switch info, _ := t.Stat(name); {
	case errors.Is(err, fs.ErrPermission):
		return "not read: permission denied"
	case info.Kind == safefs.Dir:
		return "not read: it is a directory"
	}
	return outside
}

// takeAlone reads the text of a file that is in no open directory.
func (f *file) takeAlone() {
	raw, err := safefs.ReadFile(f.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		f.absent, f.reason = true, absent
		return
	}
	f.set(raw, err)
}

// set takes what was read.
func (f *file) set(raw []byte, err error) {
	switch {
	case err != nil:
		f.reason = "not read: " + chars.Line(err.Error())
	case bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw):
		f.reason = "not read: it is not text"
	default:
		f.text = strings.TrimPrefix(string(raw), mark)
		f.marked = len(f.text) < len(raw)
	}
}

// exists reports whether there is anything at one of some paths.
func (r *reader) exists(paths ...string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		t, name, ok := r.in(path)
		if path == "" || !ok || t.Tree == nil {
			return false
		}
		info, err := t.Stat(name)
		return err == nil && info.Kind != safefs.Absent
	})
}

// list returns the paths of the files below a directory whose names end in suffix, in their order; of its
// subdirectories too if deep is set.
func (r *reader) list(dir, suffix string, deep bool) []string {
	t, name, ok := r.in(dir)
	if !ok || t.Tree == nil {
		return nil
	}
	var out []string
	var walk func(name string, depth int)
	walk = func(name string, depth int) {
		entries, err := t.ReadDir(name)
		if err != nil && len(entries) == 0 {
			return
		}
		for _, e := range entries {
			below := strings.TrimPrefix(name+"/"+e.Name(), "./")
			switch {
			case len(out) >= maxFiles:
				return
			case e.IsDir() && deep && depth < maxDepth:
				walk(below, depth+1)
			case strings.HasSuffix(e.Name(), suffix) && (e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0):
				out = append(out, filepath.Join(t.dir, filepath.FromSlash(below)))
			}
		}
	}
	walk(name, 0)
	return out
}

// skills returns the paths where skills may be below a directory, in their order.
func (r *reader) skills(dir string, how lister) (paths []string) {
	t, name, ok := r.in(dir)
	if dir == "" || !ok || t.Tree == nil {
		return nil
	}
	if info, err := t.Stat(name); err == nil && info.Kind == safefs.Other {
		if t, name, ok = r.behind(dir); !ok {
			return nil
		}
	}
	var walk func(name string, depth int)
	walk = func(name string, depth int) {
		entries, _ := t.ReadDir(name) // those that could be read
		for _, e := range entries {
			below := strings.TrimPrefix(name+"/"+e.Name(), "./")
			switch {
			case len(paths) >= maxFiles:
				return
			case e.Name() == skillFile && !e.IsDir():
				if depth >= how.from {
					paths = append(paths, filepath.Join(t.dir, filepath.FromSlash(below)))
				}
			case depth == how.to || !how.hidden && strings.HasPrefix(e.Name(), "."):
			case e.IsDir():
				walk(below, depth+1)
			case e.Type()&fs.ModeSymlink != 0 && depth+1 >= how.from:
				paths = append(paths, filepath.Join(t.dir, filepath.FromSlash(below), skillFile))
			}
		}
	}
	walk(name, 0)
	return paths
}
