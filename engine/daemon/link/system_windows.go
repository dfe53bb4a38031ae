package link

import (
	"os"
	"os/exec"
	"syscall"
)

// lockDir locks nothing: directories cannot be locked here.
func lockDir(string) (lock *os.File, free bool) { return nil, true }

// detachedProcess is DETACHED_PROCESS of CreateProcess: no console.
const detachedProcess = 0x8

// detach separates a child from this process's console and signals.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

// sendAway ends a daemon: Windows has no signal for a clean shutdown.
func sendAway(p *os.Process) error { return p.Kill() }

// reap has nothing to do on Windows: an ended process disappears with its last handle.
func reap(int) bool { return true }

// endedFromOutside reports whether a process was ended by another one, which then chooses the exit status:
// os.Process.Kill and the task manager use 1. No program of ours exits with 1 before it has reported.
func endedFromOutside(state *os.ProcessState) bool { return state != nil && state.ExitCode() == 1 }

// Descriptors returns this process's limit of open files; 0: more than it will need.
func Descriptors() int { return 0 }
