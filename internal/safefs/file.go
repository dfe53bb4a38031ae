package safefs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

// OpenFile opens a regular file for reading, and returns its FileInfo. It never waits for another process:
// it refuses a pipe, a device or a directory even if that has replaced a file since the path was listed.
// Errors: invalid for anything but a regular file; else those of the system, such as fs.ErrNotExist.
func OpenFile(path string) (*os.File, fs.FileInfo, error) { return openRegular(path, os.O_RDONLY) }

// OpenListed is OpenFile for a path that was listed as a regular file: it refuses a symbolic link as well.
func OpenListed(path string) (*os.File, fs.FileInfo, error) {
	return openRegular(path, os.O_RDONLY|notFollowing)
}

// OpenAppend opens a file for appending, and creates it with mode 0600 if there is none. Errors: those of
// OpenListed.
func OpenAppend(path string) (*os.File, fs.FileInfo, error) {
	return openRegular(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|notFollowing)
}

// openRegular opens a regular file without waiting for the other end of a pipe.
func openRegular(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|notBlocking, 0o600)
	if err != nil {
		return nil, nil, openError(err, path, flag, os.Lstat)
	}
	return checked(f)
}

// openError returns the error of opening a path: invalid if its kind of file is the reason, else err.
func openError(err error, path string, flag int, lstat func(string) (fs.FileInfo, error)) error {
	info, statErr := lstat(path)
	if statErr != nil {
		return err
	}
	link := info.Mode()&fs.ModeSymlink != 0
	if link && flag&notFollowing != 0 || !link && !info.Mode().IsRegular() {
		return notRegular(path)
	}
	return err
}

// OpenIn is OpenFile for a path below root, opened with flag. Links are followed as long as they stay below.
func OpenIn(root *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(name, flag|notBlocking, 0)
	if err != nil {
		return nil, nil, openError(err, name, flag, root.Lstat)
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

// checked returns a file that was just opened, and its FileInfo. It refuses anything but a regular file.
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

// OpenDir opens a directory, to sync or to lock it. It refuses anything else without waiting.
func OpenDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|onlyDirectory|notBlocking, 0)
}

// SyncDir makes the names in a directory durable, where the system can do that.
func SyncDir(path string) error {
	d, err := OpenDir(path)
	if err != nil {
		return err
	}
	_ = d.Sync() // Windows cannot; elsewhere renames are as durable as the system makes them
	return d.Close()
}

// OpenDirIn is OpenDir for a directory below root.
func OpenDirIn(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|onlyDirectory|notBlocking, 0)
}

// OpenRoot is os.OpenRoot, except that it does not block on a pipe that has replaced the directory.
func OpenRoot(path string) (*os.Root, error) {
	return os.OpenRoot(path + itself)
}
