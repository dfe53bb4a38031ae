//go:build unix

package daemon

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"ctxledger.dev/internal/env"
)

// listen opens the listener of this platform.
func listen(e env.Env, state string) (listener, error) { return listenUnix(e, state) }

// privateName names the directory for sockets whose path in the state directory would be too long.
func privateName() string { return "ctxledger-" + strconv.Itoa(os.Getuid()) }

// ownedByUs reports whether a file belongs to this user.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
