// Package held is the lock by which one owner has a ledger open: each store takes it, and anybody can ask for it without
// linking a store.
//
// Start at Held. The lock is on the file Ledger of the state directory. A store whose records are elsewhere keeps an empty
// file of that name there.
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

// Locked is the error of opening a ledger that another owner has open.
func Locked() error {
	return fault.New(fault.Locked, "kv.open", "the ledger is in use by another process").
		WithHint("close that process or connect to it")
}
