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

// isOwn reports whether a link and what it leads to belong to the same user, who is that of this process unless root asks.
func isOwn(link, target fs.FileInfo) bool {
	from, ok := link.Sys().(*syscall.Stat_t)
	to, also := target.Sys().(*syscall.Stat_t)
	return ok && also && from.Uid == to.Uid && (int(from.Uid) == os.Geteuid() || os.Geteuid() == 0)
}
