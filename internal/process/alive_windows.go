package process

import (
	"errors"
	"syscall"
)

// Alive reports whether a process with that id exists, of any user.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, syscall.ERROR_ACCESS_DENIED) // it exists and belongs to another user
	}
	defer syscall.CloseHandle(p) // nothing was changed
	ended, err := syscall.WaitForSingleObject(p, 0)
	return err == nil && ended == syscall.WAIT_TIMEOUT
}
