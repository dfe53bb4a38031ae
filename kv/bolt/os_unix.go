//go:build unix

package bolt

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// hasModes says that permission bits mean something here.
const hasModes = true

// initialMap is how much address space is mapped at first, so that a growing file seldom has to wait for
// all readers.
const initialMap = 64 << 20

// replacesOpen says that a file may be renamed over one that is open and mapped.
const replacesOpen = true

// checkOwner refuses a file of another user, who could read and replace it. This applies to root too,
// whose new files would lock the user out later.
func checkOwner(info fs.FileInfo, what string) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return nil
	}
	return fault.New(fault.Denied, "kv.open",
		"%s belongs to user %d, but this process runs as %d", what, st.Uid, os.Geteuid()).
		WithHint("run as its owner, or " + hintState)
}

// syncDir makes the entries of a directory durable.
func syncDir(d *os.File) error { return d.Sync() }

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// lostWrite reports whether the disk may have dropped data that it had accepted.
func lostWrite(err error) bool { return safefs.IsErrno(err, syscall.EIO) }
