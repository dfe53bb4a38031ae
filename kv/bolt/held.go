package bolt

import (
	"errors"
	"io/fs"

	"ctxledger.dev/internal/safefs"
)

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
	return lockedElsewhere(root)
}
