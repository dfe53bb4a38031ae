//go:build unix

package watch

import (
	"io/fs"
	"syscall"
)

// identity distinguishes directories, whatever their paths.
type identity struct{ device, inode uint64 }

// identify returns the identity of a directory.
func identify(info fs.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(st.Dev), uint64(st.Ino)} // their types differ between systems
}
