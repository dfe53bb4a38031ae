package process

import (
	"os/exec"
	"strconv"
	"syscall"
)

// Group gives a program a process group of its own, all of which is killed by cmd.Cancel: what it started
// would otherwise go on.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	cmd.Cancel = func() error {
		tree := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
		if tree.Run() != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}
