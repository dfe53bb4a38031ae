// Package privatefile atomically writes small files that only the user can read, and checks whether others
// can write a file.
//
// Start at Write, at Create for a file that must be new, and at Check. Abandoned recognises what a killed process left.
// The package deliberately does not know the content of the files.
package privatefile

import (
	"errors"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

// Write replaces the content of the file at path: a reader sees the old or the new content, also after a
// crash. The file has mode 0600; a missing directory is created with 0700. Errors: unavailable.
func Write(path string, content []byte) (err error) {
	const op = "privatefile.write"
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	f, err := os.CreateTemp(dir, Temp(filepath.Base(path), "*")) // 0600, whatever the umask
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // err is the error to return
	}
	return fault.Wrap(fault.Unavailable, op, err)
}
