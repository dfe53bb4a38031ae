//go:build unix

package link

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"ctxledger.dev/internal/safefs"
)

// lockDir takes an advisory lock on a directory, or on the nearest one above that exists before there is a ledger. free is
// false when another process has it.
func lockDir(dir string) (lock *os.File, free bool) {
	d, err := safefs.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		return lockDir(filepath.Dir(dir))
	}
	if err != nil {
		return nil, true
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = d.Close() // opened only for its lock
		return nil, !errors.Is(err, syscall.EWOULDBLOCK)
	}
	return d, true
}

// detach separates a child from this process's terminal and signals.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// sendAway makes a daemon shut down cleanly.
func sendAway(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// reap collects the exit status of a child that has ended, so that no zombie is left. It does not wait,
// and reports whether there is nothing left to collect.
func reap(pid int) bool {
	got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	return err != nil || got == pid
}

// endedFromOutside reports whether a process was ended by a signal from another process.
func endedFromOutside(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && slices.Contains(endingSignals, status.Signal())
}

// endingSignals are the signals with which users and the system end programs. Others mean a crash.
var endingSignals = []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE}

// Descriptors returns this process's limit of open files; 0: more than it will need.
func Descriptors() int {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil || r.Cur > 1<<20 {
		return 0
	}
	return int(r.Cur)
}
