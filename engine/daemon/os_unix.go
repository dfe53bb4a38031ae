//go:build unix

package daemon

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"ctxledger.dev/internal/env"
)

// listen opens what clients dial on this platform.
func listen(e env.Env, state string) (listener, error) { return listenUnix(e, state) }

// privateName names the directory for sockets that do not fit a state directory.
func privateName() string { return "ctxledger-" + strconv.Itoa(os.Getuid()) }

// ownedByUs reports whether a file belongs to this user.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// detach keeps a child out of this process's terminal and signals.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// alive reports whether a process of that id exists, whoever's it is.
func alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// reap collects the exit status of a child that has ended, so that it does not stay as a zombie.
// It does not wait, and reports whether there is nothing left to collect.
func reap(pid int) bool {
	got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	return err != nil || got == pid
}
