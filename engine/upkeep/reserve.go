package upkeep

import (
	"errors"
	"os"
	"path/filepath"
)

const (
	// reserveName is a file of the state directory that only takes room: what deletes things has to write
	// a little first, and on a full disk takes that of the reserve.
	reserveName = "reserve"
	// reserveBytes is its size: some commits of a forgetting.
	reserveBytes = 256 << 10
)

// KeepReserve makes the reserve, if there is room for it. Errors: those of writing it.
func (l *Upkeep) KeepReserve() error {
	path := filepath.Join(l.State, reserveName)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == reserveBytes {
		return nil
	}
	content := make([]byte, reserveBytes)
	l.Env.Random(content) // a file system that compresses takes no room for zeros
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

// SpendReserve gives the room of the reserve to what deletes things, and returns what takes it back.
func (l *Upkeep) SpendReserve() (restore func()) {
	if os.Remove(filepath.Join(l.State, reserveName)) != nil {
		return func() {} // there is none
	}
	return func() { _ = l.KeepReserve() } // without room for it the next owner tries again
}
