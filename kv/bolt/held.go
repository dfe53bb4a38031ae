package bolt

import (
	"errors"
	"io/fs"

	"ctxledger.dev/internal/safefs"
)

// Held reports whether a process has the ledger in a state directory open. It keeps nobody from opening it
// for longer than a moment, and is true where that cannot be seen.
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
