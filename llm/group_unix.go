//go:build !windows

package llm

import (
	"os/exec"
	"syscall"
)

// group gives a program a process group of its own, all of which is killed with it: what it started
// would otherwise go on.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
