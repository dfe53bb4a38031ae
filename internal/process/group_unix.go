//go:build !windows

package process

import (
	"os/exec"
	"syscall"
)

// Group gives a program a process group of its own, all of which is killed by cmd.Cancel: what it started
// would otherwise go on.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
