//go:build unix

package safefs

import (
	"errors"
	"strings"
	"syscall"
)

// Full reports whether err says that the disk is full or the user's quota exceeded.
func Full(err error) bool { return IsErrno(err, syscall.ENOSPC) || IsErrno(err, syscall.EDQUOT) }

// IsErrno reports whether a system call has failed with e. bbolt returns errors of growing its file only as text.
func IsErrno(err error, e syscall.Errno) bool {
	return errors.Is(err, e) || err != nil && strings.HasSuffix(err.Error(), ": "+e.Error())
}
