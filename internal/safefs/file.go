package safefs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

// OpenFile opens the regular file that a path leads to, for reading, and says what was opened. It never
// waits for another process: what has become a pipe, a device or a directory by now is refused, however
// it looked before. Errors: invalid for what is no regular file; else those of the system, such as
// fs.ErrNotExist.
func OpenFile(path string) (*os.File, fs.FileInfo, error) { return openRegular(path, os.O_RDONLY) }

// OpenListed is OpenFile for a path that was listed as a regular file: a symbolic link in its place is
// refused as well.
func OpenListed(path string) (*os.File, fs.FileInfo, error) {
	return openRegular(path, os.O_RDONLY|notFollowing)
}

// OpenAppend opens a file of our own for appending, and makes it if there is none, for this user alone.
// Errors: those of OpenListed.
func OpenAppend(path string) (*os.File, fs.FileInfo, error) {
	return openRegular(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|notFollowing)
}

// openRegular opens a regular file without waiting for the other end of a pipe.
func openRegular(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|notBlocking, 0o600)
	if err != nil {
		if info, lost := os.Lstat(path); lost == nil && strange(info, flag) {
			err = notRegular(path)
		}
		return nil, nil, err
	}
	return checked(f)
}

// strange reports whether a path could not be opened for what it is, rather than for what the system lacks.
func strange(info fs.FileInfo, flag int) bool {
	link := info.Mode()&fs.ModeSymlink != 0
	return link && flag&notFollowing != 0 || !link && !info.Mode().IsRegular()
}

// OpenIn is OpenFile for a path below root, opened with flag. Links are followed as long as they stay below.
func OpenIn(root *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(name, flag|notBlocking, 0)
	if err != nil {
		if info, lost := root.Lstat(name); lost == nil && strange(info, flag) {
			err = notRegular(name)
		}
		return nil, nil, err
	}
	return checked(f)
}

// Files returns the regular files and directories below root. Opening one never waits for another process.
func Files(root *os.Root) fs.FS { return files{root} }

type files struct{ root *os.Root }

// Open implements fs.FS.
func (f files) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	opened, err := f.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|notBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := opened.Stat()
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = notRegular(name)
	}
	if err != nil {
		_ = opened.Close() // nothing was read
		return nil, err
	}
	return opened, nil
}

// checked returns a file that was just opened, and what it is, unless it is no regular one.
func checked(f *os.File) (*os.File, fs.FileInfo, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(f.Name())
	}
	if err != nil {
		_ = f.Close() // nothing was read or written
		return nil, nil, err
	}
	return f, info, nil
}

func notRegular(path string) error {
	return fault.New(fault.Invalid, "safefs.open", "%s is not a regular file", path)
}

// ReadFile returns the content of a small regular file. Errors: those of OpenFile; too_large beyond most
// bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, _, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(content)) > most {
		return nil, fault.New(fault.TooLarge, "safefs.read", "%s has more than %d bytes", path, most)
	}
	return content, err
}

// OpenDir opens a directory, to sync or to lock it. What is no directory is refused without waiting.
func OpenDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|onlyDirectory|notBlocking, 0)
}

// OpenDirIn is OpenDir for a directory below root.
func OpenDirIn(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|onlyDirectory|notBlocking, 0)
}

// OpenRoot is os.OpenRoot, which would wait for the other end of a pipe in the directory's place.
func OpenRoot(path string) (*os.Root, error) {
	return os.OpenRoot(path + itself)
}
