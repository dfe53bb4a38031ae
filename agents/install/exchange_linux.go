package install

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// exchange puts two files of one directory each in the place of the other, at once. done is false where the system or the
// file system cannot.
func exchange(root *os.Root, a, b string) (done bool, err error) {
	dir, err := root.Open(filepath.Dir(a))
	if err != nil {
		return false, err
	}
	defer dir.Close() // not written to
	fd := int(dir.Fd())
	err = unix.Renameat2(fd, filepath.Base(a), fd, filepath.Base(b), unix.RENAME_EXCHANGE)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return false, nil
	}
	return err == nil, err
}
