package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/fault"
)

// Create writes a new file below base, an existing or missing directory, in one step: no reader sees a part of it. name
// has slashes. Missing directories are created with 0700; one below base that is a link is refused. The file has mode
// 0600. It returns the file's path. Errors: conflict if there is something of that name; denied for a link; invalid for a
// name that is not local; unavailable.
func Create(base, name string, content []byte) (string, error) {
	const op = "privatefile.create"
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fault.New(fault.Invalid, op, "%q is not a file name inside a directory", name)
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", fault.Wrap(fault.Unavailable, op, err)
	}
	dir, err := os.OpenRoot(base)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, op, err)
	}
	defer func() { dir.Close() }() // only held
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if part == "." {
			continue
		}
		below, err := enter(dir, part)
		if err != nil {
			return "", err
		}
		dir.Close() // only held
		dir = below
	}
	if err := place(dir, path.Base(name), content); err != nil {
		return "", err
	}
	return filepath.Join(base, filepath.FromSlash(name)), nil
}

// enter opens a directory inside another one, and creates it if it is missing. It follows no link.
func enter(dir *os.Root, name string) (*os.Root, error) {
	const op = "privatefile.create"
	if err := dir.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	listed, err := dir.Lstat(name)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	if !listed.IsDir() {
		return nil, fault.New(fault.Denied, op, "%s is a link or a file, not a directory",
			filepath.Join(dir.Name(), name))
	}
	below, err := dir.OpenRoot(name)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	if opened, err := below.Stat("."); err != nil || !os.SameFile(listed, opened) {
		below.Close() // only held
		return nil, fault.New(fault.Denied, op, "%s was replaced in the meantime", filepath.Join(dir.Name(), name))
	}
	return below, nil
}

// place writes a file next to its place and links it there, which fails if there is something.
func place(dir *os.Root, name string, content []byte) error {
	const op = "privatefile.create"
	temp := "." + name + ".tmp"
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return createError(op, name, err)
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Link(temp, name)
	}
	err = errors.Join(err, dir.Remove(temp))
	return createError(op, name, err)
}

func createError(op, name string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Conflict, op, "%s already exists", name)
	}
	return fault.Wrap(fault.Unavailable, op, err)
}
