package bolt

import (
	"errors"
	"os"
)

// Held reports whether a process has the ledger in a state directory open. It keeps nobody from opening it
// for longer than a moment, and is true where that cannot be seen.
func Held(dir string) bool {
	if !Exists(dir) {
		return false
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer root.Close() // only looked at
	return lockedElsewhere(root)
}
