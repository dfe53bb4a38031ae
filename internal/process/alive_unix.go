//go:build unix

package process

import (
	"errors"
	"syscall"
)

// Alive reports whether a process with that id exists, of any user. A process that has ended exists until its
// parent has reaped it.
func Alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
