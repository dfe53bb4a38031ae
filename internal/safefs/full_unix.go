//go:build unix

package safefs

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// Full reports whether err says that the disk is full or the user's quota exceeded.
func Full(err error) bool { return IsErrno(err, syscall.ENOSPC) || IsErrno(err, syscall.EDQUOT) }

// IsErrno reports whether a system call has failed with e. bbolt returns errors of growing its file only as text.
func IsErrno(err error, e syscall.Errno) bool {
	return errors.Is(err, e) || err != nil && strings.HasSuffix(err.Error(), ": "+e.Error())
}

// OnDisk is the disk usage of a file, which may be sparse.
func OnDisk(info fs.FileInfo) int64 {
	const block = 512 // the unit of st_blocks, whatever the file system's own
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * block
	}
	return info.Size()
}
