//go:build windows || plan9 || solaris || aix

package bolt

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// lockFile leaves the locking to bbolt, whose lock cannot be taken twice here.
func lockFile(*os.File, time.Duration) error { return nil }

// abandon releases the lock of a file whose database cannot be closed.
func abandon(f *os.File) error { return f.Close() }

// unlockFile has nothing to release: the lock is bbolt's.
func unlockFile(*os.File) error { return nil }

// heldElsewhere reports whether another process owns the ledger, by asking for a shared lock. Without our
// own lock, a file that its owner is writing may look damaged.
func heldElsewhere(root *os.Root) bool {
	db, err := bbolt.Open(ledgerName, fileMode, &bbolt.Options{
		ReadOnly: true,
		Timeout:  1, // one attempt; 0 waits for ever
		OpenFile: func(name string, flag int, mode fs.FileMode) (*os.File, error) {
			return root.OpenFile(name, flag, mode)
		},
	})
	if err == nil {
		_ = db.Close() // opened only to look
	}
	return errors.Is(err, berrors.ErrTimeout)
}

// lockedElsewhere is heldElsewhere: here only bbolt locks.
func lockedElsewhere(root *os.Root) bool { return heldElsewhere(root) }
