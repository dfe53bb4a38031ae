package changes

import (
	"time"

	"ctxledger.dev/kv"
)

// near is how many of the newest changes of a path are looked at.
const near = 100

// StaleRead decides whether what a session read of a file at a time is out of date: it returns the newest change that the
// session does not know of. It is nil if there is none, or if the file has the bytes again that the session knows: those
// of its own newest change, or those at the time of the read. The time is that up to which the session knows the file.
//
// Hooks say no more than this, since an agent waits for them. Lists of what was read (engine/files) also compare the text
// that the session was shown with the file, which decodes its log.
func StaleRead(tx kv.Tx, path, tree, session string, read time.Time) (*Change, time.Time, error) {
	list, err := OfPath(tx, path, near)
	if err != nil {
		return nil, read, err
	}
	var newest *Change
	known := "" // the hash of what the session knows; "": not recorded
	for i := range list {
		c := &list[i]
		if c.Tree != tree {
			continue
		}
		if !c.Time.After(read) {
			break
		}
		if c.Session == session {
			known, read = c.HashTo, c.Time
			break
		}
		if newest == nil {
			newest = c
		}
		known = c.HashFrom
		if c.Before.After(read) {
			known = "" // the file may have been another one at the time of the read
		}
	}
	if newest != nil && known != "" && known == newest.HashTo {
		return nil, newest.Time, nil
	}
	return newest, read, nil
}
