package upkeep

import (
	"errors"
	"os"
	"path/filepath"
)

const (
	// reserveName is a file of the state directory that only occupies space. Deleting has to write a little first; on a
	// full disk it removes the reserve and uses its space.
	reserveName = "reserve"
	// reserveBytes is its size: enough for some transactions of a forgetting.
	reserveBytes = 256 << 10
)

// KeepReserve makes the reserve if it is missing. Errors: those of writing it.
func (l *Upkeep) KeepReserve() error {
	path := filepath.Join(l.core.State, reserveName)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == reserveBytes {
		return nil
	}
	content := make([]byte, reserveBytes)
	l.core.Env.Random(content) // a compressing file system would store zeros in no space
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = writeNew(path, content)
	}
	return err
}

// writeNew writes a new private file, whole or not at all.
func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// spendReserve frees the space of the reserve for an operation that deletes, and returns a function that makes the
// reserve again.
func (l *Upkeep) spendReserve() (restore func()) {
	if os.Remove(filepath.Join(l.core.State, reserveName)) != nil {
		return func() {} // there is none
	}
	return func() { _ = l.KeepReserve() } // on a full disk the next owner tries again
}
