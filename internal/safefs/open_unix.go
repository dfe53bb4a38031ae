//go:build unix

package safefs

import "syscall"

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
