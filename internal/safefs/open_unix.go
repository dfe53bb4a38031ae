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
	// itself leads from a directory to itself, and from nothing else anywhere.
	itself = "/."
)
