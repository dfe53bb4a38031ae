//go:build unix

package process

import (
	"errors"
	"syscall"
)

// Alive reports whether a process of that id exists, whoever's it is. One that has ended exists until its parent
// has taken notice.
func Alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
