package sessions

import (
	"cmp"
	"time"

	"ctxledger.dev/kv"
)

// Lose gives up an entry's original because it is damaged. The rest of the entry stays. Errors:
// not_found.
func Lose(tx kv.Tx, session string, seq int64, at time.Time) error {
	e, err := GetEntry(tx, session, seq)
	if err != nil {
		return err
	}
	e.Forgotten, e.Lost, e.Blob = &at, true, ""
	e.Names, e.Paths = nil, nil
	return cmp.Or(rewriteEntry(tx, session, e.Entry, nil), unindex(tx, session, seq))
}

// LoseEntry replaces a whole entry by a note that it is lost. Errors: not_found.
func LoseEntry(tx kv.Tx, session string, seq int64, at time.Time) error {
	e, err := GetEntry(tx, session, seq)
	if err != nil {
		return err
	}
	return cmp.Or(rewriteEntry(tx, session, lostEntry(seq, e.Turn, e.Time, at), nil), unindex(tx, session, seq))
}

// Replace overwrites the entry with its number, its original included: only repair rewrites a log.
func Replace(tx kv.Tx, session string, e Stored) error {
	return rewriteEntry(tx, session, e.Entry, e.Original)
}

// lostEntry replaces an entry that is lost: part of the log, and of no view.
func lostEntry(seq int64, turn int, then, at time.Time) Entry {
	return Entry{
		Seq: seq, Kind: KindNote, Time: then, Turn: turn, Forgotten: &at, Lost: true,
		Note: "lost: the record was damaged, and repair put this in its place",
	}
}
