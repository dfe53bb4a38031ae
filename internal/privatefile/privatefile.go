// Package privatefile writes small files that only the user may read, each at once or not at all, and tells
// whether a file can be written by others.
//
// Start at Write and Check. The package deliberately knows nothing of what the files hold.
package privatefile

import (
	"errors"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

// Write puts content into the file at path in the place of what was there: a reader sees the old bytes or the new
// ones, also after a crash. The file is 0600; its directory is made, 0700, if it is missing. Errors: unavailable.
func Write(path string, content []byte) (err error) {
	const op = "privatefile.write"
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp") // 0600, whatever the umask
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
		_ = os.Remove(f.Name()) // err is what matters
	}
	return fault.Wrap(fault.Unavailable, op, err)
}
