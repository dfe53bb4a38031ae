// Package held tells whether a process has a ledger open, without opening it.
//
// Start at Held. The package links no store where the system's own locks say it: programs that only look for the owner of
// a ledger stay small. Package kv/bolt takes the lock.
package held

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// Ledger is the name of a ledger's file in its state directory. Its owner holds a lock on it.
const Ledger = "ledger.db"

// Exists reports whether a state directory holds the file of a ledger; false if it cannot tell.
func Exists(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, Ledger))
	return err == nil
}

// Held reports whether a process has the ledger in a state directory open. It holds a shared lock for an
// instant, and returns true if it cannot tell.
func Held(dir string) bool {
	if !Exists(dir) {
		return false
	}
	root, err := safefs.OpenRoot(dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer root.Close() // only looked at
	return Elsewhere(root)
}

// opLocked marks the error that IsLocked recognises.
const opLocked = "kv.open.locked"

// Locked is the error of opening a ledger that another owner has open.
func Locked() error {
	return fault.New(fault.Unavailable, opLocked, "the ledger is in use by another process").
		WithHint("close that process or connect to it")
}

// IsLocked reports whether err is, or wraps, what Locked returns, also after it was sent to another process.
func IsLocked(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Op == opLocked
}
