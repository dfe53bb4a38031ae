//go:build unix

package safefs

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	// notBlocking opens without waiting for the other end of a pipe.
	notBlocking = syscall.O_NONBLOCK
	// notFollowing opens no symbolic link.
	notFollowing = syscall.O_NOFOLLOW
	// onlyDirectory opens nothing but directories.
	onlyDirectory = syscall.O_DIRECTORY
	// itself, appended to a path, resolves only for directories, to themselves.
	itself = "/."
)

// Owned reports whether a file belongs to the user of this process.
func Owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
