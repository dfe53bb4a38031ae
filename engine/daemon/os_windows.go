package daemon

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"ctxledger.dev/internal/env"
)

// listen opens what clients dial on this platform.
func listen(env.Env, string) (listener, error) { return listenLoopback() }

// privateName names the directory for sockets that do not fit a state directory.
func privateName() string { return "ctxledger" }

// ownedByUs is not asked on Windows, where there are no sockets in directories.
func ownedByUs(fs.FileInfo) bool { return true }

// lockDir locks nothing: directories cannot be locked here.
func lockDir(string) (lock *os.File, free bool) { return nil, true }

// detachedProcess is DETACHED_PROCESS of CreateProcess: no console.
const detachedProcess = 0x8

// detach keeps a child out of this process's console and signals.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

// sendAway ends a daemon: there are no signals to do that in good order.
func sendAway(p *os.Process) error { return p.Kill() }

// reap has nothing to do on Windows: an ended process goes with its last handle.
func reap(int) bool { return true }

// endedFromOutside reports whether a process was ended by another one, which says the exit status then:
// os.Process.Kill and the task manager say 1, with which no program of ours ends before it has reported.
func endedFromOutside(state *os.ProcessState) bool { return state != nil && state.ExitCode() == 1 }

// descriptors returns how many files this process may have open: more than it will.
func descriptors() int { return 0 }
