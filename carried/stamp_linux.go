package carried

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt returns when a file was written, moved or replaced last, by the system's own clock; zero: not known.
func changedAt(info fs.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Time{}
}
