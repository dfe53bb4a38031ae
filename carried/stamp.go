package carried

import (
	"os"
	"time"
)

// stamp is what a change of a file is noticed by. That of a file that is not there is zero.
type stamp struct {
	size     int64
	modified time.Time
}

// Stamps are what changes of files are noticed by, by their paths.
type Stamps map[string]stamp

// StampsOf returns the stamps of files as they are now.
func StampsOf(paths ...string) Stamps {
	s := Stamps{}
	for _, path := range paths {
		s[path] = stampOf(path)
	}
	return s
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// Changed reports whether a file has changed since, also one that was not there and is there now.
func (s Stamps) Changed() bool {
	for path, was := range s {
		if is := stampOf(path); is.size != was.size || !is.modified.Equal(was.modified) {
			return true
		}
	}
	return false
}

// Changed reports whether a file that was read has changed since, also one that was looked for and is there now.
func (r Report) Changed() bool { return r.stamps.Changed() }
