package carried

import (
	"io/fs"
	"os"
	"time"
)

// stamp is what a change of a file is noticed by. That of a file that is not there is zero.
type stamp struct {
	size     int64
	modified time.Time
	// changed is when the system itself noted that the file, or a link to it, came to be as it is: a file that is moved or
	// copied there keeps its time of modification. Zero: the system does not say.
	changed time.Time
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

func stampOf(path string) (s stamp) {
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(path)
		if err != nil {
			return stamp{}
		}
		s.size, s.modified = info.Size(), info.ModTime()
		if at := changedAt(info); at.After(s.changed) {
			s.changed = at
		}
	}
	return s
}

// Changed reports whether a file has changed since, also one that was not there and is there now.
func (s Stamps) Changed() bool {
	for path, was := range s {
		is := stampOf(path)
		if is.size != was.size || !is.modified.Equal(was.modified) || !is.changed.Equal(was.changed) {
			return true
		}
	}
	return false
}

// Changed reports whether a file that was read has changed since, also one that was looked for and is there now.
func (r Report) Changed() bool { return r.stamps.Changed() }
