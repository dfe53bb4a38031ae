//go:build !windows && !plan9 && !solaris && !aix

package bolt

import (
	"errors"
	"os"
	"syscall"
	"time"

	"ctxledger.dev/kv/held"
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
			return held.Locked()
		}
		select {
		case <-poll.C:
		case <-deadline.C:
			return held.Locked()
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
