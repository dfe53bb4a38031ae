package changes

import (
	"slices"
	"time"

	"ctxledger.dev/kv"
)

// near is how many of the newest changes of a path are looked at.
const near = 100

// StaleRead decides whether what a session read of a file at a time is out of date: it returns the newest change that the
// session does not know of. It is nil if there is none, or if the file has the bytes again that the session knows: those
// of its own newest change, or those at the time of the read. The time is that up to which the session knows the file: of its own
// changes only those of a text that it knew.
//
// own says which changes the session made, or copied with their calls.
//
// Hooks say no more than this, since an agent waits for them. Lists of what was read (engine/files) also compare the text
// that the session was shown with the file, which decodes its log.
func StaleRead(
	tx kv.Tx, path, tree string, read time.Time, own func(Change) (bool, error),
) (*Change, time.Time, error) {
	list, err := OfPath(tx, path, near)
	if err != nil {
		return nil, read, err
	}
	list = slices.DeleteFunc(list, func(c Change) bool { return c.Tree != tree || !c.Time.After(read) })
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Change) int { return a.Time.Compare(b.Time) }) // some are recorded late
	k := known{until: read}
	for _, c := range list {
		mine, err := own(c)
		if err != nil {
			return nil, read, err
		}
		k.take(c, read, mine)
	}
	if k.other != nil && k.hash != "" && k.hash == k.other.HashTo {
		k.knew(k.other.Time)
		k.other = nil
	}
	if !k.begun {
		k.until = read // it was not watched
	}
	return k.other, k.until, nil
}

// known is what a session knows of a file while its changes are looked at, the oldest first.
type known struct {
	hash string // of the content without what others changed; "": not recorded
	// lost says that this is not what the session read, or left.
	lost bool
	// begun says that an observed change tells since when the file was watched.
	begun bool
	other *Change
	until time.Time // see Unknown
}

// take takes a change of the session itself, or of another one.
func (k *known) take(c Change, read time.Time, own bool) {
	if !k.begun && !c.Before.IsZero() {
		k.begun, k.hash = true, c.HashFrom
		k.lost = k.lost || c.Before.After(read) // the file may have been another one at the time of the read
	}
	if !own {
		k.lost = k.lost || !k.begun
		k.other = &c
		return
	}
	k.lost = k.lost || k.other != nil && k.other.HashTo != k.hash
	k.hash, k.other = c.HashTo, nil
	k.knew(c.Time)
}

// knew notes that the session knows the file up to a time, if it does.
func (k *known) knew(until time.Time) {
	if !k.lost {
		k.until = until
	}
}
