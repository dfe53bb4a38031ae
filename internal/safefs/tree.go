package safefs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/filetext"
)

// Kind is the kind of file at a path.
type Kind int

// The kinds. Other is never opened: pipes, devices, sockets, and links that are broken or lead outside.
const (
	Absent Kind = iota
	File
	Dir
	Other
)

// Info describes the file at a path; size and time are set for regular files.
type Info struct {
	Kind     Kind
	Link     bool // whether the path itself is a symbolic link
	Size     int64
	Modified int64 // nanoseconds since 1970
}

// Entry is one entry of a directory.
type Entry struct {
	Name string
	Info
}

// Tree is an open directory tree.
type Tree struct {
	path    string
	root    *os.Root
	escapes error // the system's error for a path that leads outside
}

// Open opens the tree at an absolute path. Errors: not_found, denied, limited when no more files can be
// opened, unavailable.
func Open(path string) (*Tree, error) {
	root, err := OpenRoot(path)
	if err != nil {
		return nil, coded("safefs.open", err)
	}
	t := &Tree{path: path, root: root}
	_, err = root.Lstat("..")
	t.escapes = cause(err)
	return t, nil
}

// Close releases the tree.
func (t *Tree) Close() error { return t.root.Close() }

// Replaced reports whether the directory at the tree's path was replaced or removed: the tree then no
// longer describes that path.
func (t *Tree) Replaced() bool {
	now, err := os.Stat(t.path)
	if err != nil {
		return true
	}
	then, err := t.root.Stat(".")
	return err != nil || !os.SameFile(now, then)
}

// Stat describes the file at a path. Errors: denied, limited, unavailable.
func (t *Tree) Stat(name string) (Info, error) {
	name = filepath.FromSlash(name)
	info, err := t.root.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return t.info(info, err)
	}
	followed, err := t.root.Stat(name)
	out, err := t.info(followed, err)
	if out.Link = true; out.Kind == Absent {
		out.Kind = Other
	}
	return out, err
}

// info converts the result of a stat.
func (t *Tree) info(info fs.FileInfo, err error) (Info, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return Info{Kind: Absent}, nil
	case err != nil && t.escapes != nil && errors.Is(err, t.escapes),
		errors.Is(err, syscall.ELOOP), errors.Is(err, fs.ErrInvalid):
		return Info{Kind: Other}, nil
	case err != nil:
		return Info{}, coded("safefs.stat", err)
	}
	return infoOf(info), nil
}

func infoOf(info fs.FileInfo) Info {
	switch {
	case info.Mode().IsRegular():
		return Info{Kind: File, Size: info.Size(), Modified: info.ModTime().UnixNano()}
	case info.IsDir():
		return Info{Kind: Dir}
	default:
		return Info{Kind: Other}
	}
}

// open opens a regular file; nil when there is none.
func (t *Tree) open(name string) (*os.File, Info, error) {
	was, err := t.Stat(name)
	if err != nil || was.Kind != File {
		return nil, was, err
	}
	// Not blocking: a pipe may have replaced the file since.
	f, err := t.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|notBlocking, 0)
	if err != nil {
		info, err := t.info(nil, err)
		return nil, info, err
	}
	stat, err := f.Stat()
	if err == nil && stat.Mode().IsRegular() {
		info := infoOf(stat)
		info.Link = was.Link
		return f, info, nil
	}
	_ = f.Close() // nothing was written
	return nil, Info{Kind: Other}, coded("safefs.open", err)
}

// Open opens a regular file for reading. Errors: those of OpenIn.
func (t *Tree) Open(name string) (*os.File, fs.FileInfo, error) {
	return OpenIn(t.root, filepath.FromSlash(name), os.O_RDONLY)
}

// ReadDir returns the entries of a directory, sorted by name. Links are not followed. Errors, with the
// entries that could be read: those of the system.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	d, err := OpenDirIn(t.root, filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer d.Close() // only read
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Sums are the SHA-256 of a file's content, and of its text as filetext.Hash makes it, in hex.
type Sums struct{ Bytes, Text string }

// Hash returns the sums of a file, and its Info at that moment. They are "" for anything
// but a regular file, and for one of more than most bytes, which is not read. A file that changes meanwhile
// is read again; if it keeps changing, the sums are those of the last reading. Errors: those of Stat.
func (t *Tree) Hash(name string, most int64) (Sums, Info, error) {
	const tries = 3
	for try := 1; ; try++ {
		f, info, err := t.open(name)
		if f == nil {
			return Sums{}, info, err
		}
		sums, after, err := digest(f, info, most)
		_ = f.Close() // only read
		if err != nil || after == info || try == tries {
			return sums, after, coded("safefs.hash", err)
		}
	}
}

// digest hashes an open file and stats it again.
func digest(f *os.File, info Info, most int64) (Sums, Info, error) {
	if info.Size > most {
		return Sums{}, info, nil
	}
	h, r := sha256.New(), &io.LimitedReader{R: f, N: most + 1}
	text, err := filetext.Hash(io.TeeReader(r, h))
	if err != nil {
		return Sums{}, info, err
	}
	stat, err := f.Stat()
	if err != nil {
		return Sums{}, info, err
	}
	after := infoOf(stat)
	after.Link = info.Link
	if r.N == 0 {
		return Sums{}, after, nil
	}
	return Sums{hex.EncodeToString(h.Sum(nil)), text}, after, nil
}

// Read returns the content of a file of at most most bytes; nil when there is none, or it cannot be read.
func (t *Tree) Read(name string, most int64) []byte {
	f, info, err := t.open(name)
	if f == nil || err != nil {
		return nil
	}
	defer f.Close() // only read
	if info.Size > most {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return content
}

// List returns the entries of a directory, sorted by name. If there are more than most, it returns none and
// more is true. Links are not followed. A missing directory has no entries. Errors: those of Stat.
func (t *Tree) List(name string, most int) (entries []Entry, more bool, err error) {
	if info, err := t.Stat(name); err != nil || info.Kind != Dir {
		return nil, false, err
	}
	d, err := t.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|notBlocking, 0)
	if err != nil {
		_, err = t.info(nil, err)
		return nil, false, err
	}
	defer d.Close() // only read
	names, err := d.Readdirnames(most + 1)
	if err != nil && err != io.EOF {
		_, err = t.info(nil, err)
		return nil, false, err
	}
	if len(names) > most {
		return nil, true, nil
	}
	slices.Sort(names)
	for _, n := range names {
		info, err := t.Stat(strings.TrimPrefix(name+"/"+n, "./"))
		if err != nil {
			continue // skip what cannot be read
		}
		entries = append(entries, Entry{n, info})
	}
	return entries, false, nil
}

// cause returns the system's error without the path.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// coded turns an error of the system into a fault.
func coded(op string, err error) error {
	code := fault.Unavailable
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		code = fault.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = fault.Denied
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		code = fault.Limited
	}
	return fault.Wrap(code, op, err)
}
