//go:build !windows && !plan9 && !solaris && !aix

package held

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"ctxledger.dev/internal/safefs"
)

// Takes says that Take takes a lock.
const Takes = true

// poll is how often a held lock is tried again. bbolt would poll every 50 ms.
const poll = 2 * time.Millisecond

// Take takes the owner's lock on f, waiting at most wait. It is the lock that bbolt takes again on the same file: a store
// needs it first, to look at the file before bbolt maps it. Errors: locked, and those of the system.
func Take(f *os.File, wait time.Duration) error {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	again := time.NewTicker(poll)
	defer again.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return os.NewSyscallError("flock", err)
		case wait <= 0:
			return Locked()
		}
		select {
		case <-again.C:
		case <-deadline.C:
			return Locked()
		}
	}
}

// Release releases the owner's lock on f.
func Release(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// Elsewhere reports whether another process owns the ledger in root, by asking for a shared lock.
func Elsewhere(root *os.Root) bool {
	f, _, err := safefs.OpenIn(root, Ledger, os.O_RDONLY)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close() // with the lock
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
