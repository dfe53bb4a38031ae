//go:build windows || plan9 || solaris || aix

package bolt

import (
	"os"
	"time"

	"ctxledger.dev/kv/held"
)

// lockFile leaves the locking to bbolt, whose lock cannot be taken twice here.
func lockFile(*os.File, time.Duration) error { return nil }

// abandon releases the lock of a file whose database cannot be closed.
func abandon(f *os.File) error { return f.Close() }

// unlockFile has nothing to release: the lock is bbolt's.
func unlockFile(*os.File) error { return nil }

// heldElsewhere reports whether another process owns the ledger. Without our own lock, a file that its owner is writing
// may look damaged.
func heldElsewhere(root *os.Root) bool { return held.Elsewhere(root) }
