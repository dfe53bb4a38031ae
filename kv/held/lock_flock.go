//go:build !windows && !plan9 && !solaris && !aix

package held

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"ctxledger.dev/internal/safefs"
)

// Elsewhere reports whether another process owns the ledger in root, by asking for a shared lock.
func Elsewhere(root *os.Root) bool {
	f, _, err := safefs.OpenIn(root, Ledger, os.O_RDONLY)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close() // with the lock
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
