//go:build !windows && !plan9 && !solaris && !aix

package bolt

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// lockPoll is how often a held lock is tried again. bbolt would poll every 50 ms.
const lockPoll = 2 * time.Millisecond

// lockFile takes the owner lock on f, waiting at most wait. It is the lock that bbolt takes
// again on the same file: we need it first, to look at the file before bbolt maps it.
func lockFile(f *os.File, wait time.Duration) error {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return osError("kv.open", os.NewSyscallError("flock", err))
		case wait <= 0:
			return locked()
		}
		select {
		case <-poll.C:
		case <-deadline.C:
			return locked()
		}
	}
}

// abandon releases the lock of a file whose database cannot be closed. Closing the file is not enough: the
// remaining mapping keeps the file and its lock alive.
func abandon(f *os.File) error {
	return errors.Join(unlockFile(f), f.Close())
}

// unlockFile releases the owner lock on f.
func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// heldElsewhere is false: the caller already holds the lock.
func heldElsewhere(*os.Root) bool { return false }

// lockedElsewhere reports whether another process owns the ledger, by asking for a shared lock.
func lockedElsewhere(root *os.Root) bool {
	f, _, err := openRegular(root, ledgerName, os.O_RDONLY)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close() // with the lock
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
