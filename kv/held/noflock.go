//go:build windows || plan9 || solaris || aix

package held

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Takes says that Take takes no lock here: that is left to bbolt, whose lock cannot be taken twice. A file that its owner is
// writing may therefore look damaged to others.
const Takes = false

// Take does nothing here.
func Take(*os.File, time.Duration) error { return nil }

// Release does nothing here.
func Release(*os.File) error { return nil }

// Elsewhere reports whether another process owns the ledger in root, by asking for a shared lock: here only bbolt locks.
func Elsewhere(root *os.Root) bool {
	db, err := bbolt.Open(Ledger, 0o600, &bbolt.Options{
		ReadOnly: true,
		Timeout:  1, // one attempt; 0 waits for ever
		OpenFile: func(name string, flag int, mode fs.FileMode) (*os.File, error) {
			return root.OpenFile(name, flag, mode)
		},
	})
	if err == nil {
		_ = db.Close() // opened only to look
	}
	return errors.Is(err, berrors.ErrTimeout)
}
