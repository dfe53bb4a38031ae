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

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// Changed reports whether a file that was read has changed since, also one that was looked for and is there now.
func (r Report) Changed() bool {
	for path, was := range r.stamps {
		if is := stampOf(path); is.size != was.size || !is.modified.Equal(was.modified) {
			return true
		}
	}
	return false
}
