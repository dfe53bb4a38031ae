package sessions

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/search"
)

// bucketWords has the words of messages. A document has the key of its entry; a session waits from a sequence number on.
const bucketWords = kv.Bucket("log.words")

var index = search.Index{Bucket: bucketWords, WholeFirst: true}

// Said reports whether an entry is a document of the index: a message of this session, or a note of its agent, that is not
// forgotten.
func (e *Entry) Said() bool {
	return (e.Kind == KindMessage || e.Kind == KindNotes) && e.Forgotten == nil && !e.Copied
}

// later has the words of a session be indexed from an entry on.
func later(tx kv.Tx, session string, seq int64) error {
	return index.Later(tx, session, binary.BigEndian.AppendUint64(nil, uint64(seq)))
}

// Unindexed is a part of a session whose words are not indexed yet.
type Unindexed struct {
	Session   string
	From      int64  // sequence number
	Rewritten uint64 // see Rewritten
}

// NextUnindexed returns a session whose words are not indexed yet; without an id if there is none. Errors: corrupt.
func NextUnindexed(tx kv.Tx) (u Unindexed, err error) {
	var from []byte
	if u.Session, from, err = index.Next(tx); err != nil || u.Session == "" {
		return u, err
	}
	if u.From, err = unindexed(from); err == nil {
		u.Rewritten, err = Rewritten(tx, u.Session)
	}
	return u, err
}

// unindexed reads from where on a session waits: 0 if it does not.
func unindexed(raw []byte) (int64, error) {
	if raw == nil {
		return 0, nil
	}
	if len(raw) != 8 {
		return 0, fault.New(fault.Corrupt, "sessions.words", "the index of messages is damaged")
	}
	return int64(binary.BigEndian.Uint64(raw)), nil
}

// Index adds the words of the entries of u below next; bags are by sequence number. It does nothing if the log
// changed since u was read. Errors: corrupt.
func Index(tx kv.Tx, u Unindexed, next int64, bags map[int64]search.Bag) error {
	raw, err := index.Waits(tx, u.Session)
	if err != nil {
		return err
	}
	from, wrong := unindexed(raw)
	rewritten, err := Rewritten(tx, u.Session)
	if err = cmp.Or(wrong, err); err != nil || from != u.From || rewritten != u.Rewritten {
		return err
	}
	var docs []search.Doc
	for seq := u.From; seq < next; seq++ {
		if bag, ok := bags[seq]; ok {
			docs = append(docs, search.Doc{Name: string(logKey(u.Session, seq)), Bag: bag})
		}
	}
	s, err := Get(tx, u.Session)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	var left []byte
	if next <= s.Seq {
		left = binary.BigEndian.AppendUint64(nil, uint64(next))
	}
	return cmp.Or(index.Add(tx, docs), index.Waiting(tx, u.Session, left))
}

// unindex has an entry not be found any more.
func unindex(tx kv.Tx, session string, seq int64) error {
	raw, err := index.Waits(tx, session)
	if err != nil {
		return err
	}
	if from, err := unindexed(raw); err != nil || from > 0 && seq >= from {
		return err // it was never added
	}
	return index.Drop(tx, string(logKey(session, seq)))
}

// IndexAgain rebuilds the index: it empties it and marks all sessions as not indexed yet. Errors: corrupt.
func IndexAgain(tx kv.Tx) error {
	all, err := List(tx)
	err = cmp.Or(err, index.Clear(tx))
	for _, s := range all {
		if s.Seq > 0 {
			err = cmp.Or(err, later(tx, s.ID, 1))
		}
	}
	return err
}

// PurgeWords removes the bytes of words of messages that are forgotten. Errors: corrupt.
func PurgeWords(tx kv.Tx) error { return index.Purge(tx) }

// FoundPlace is an entry that a search finds.
type FoundPlace struct {
	Place
	Score float64 // see search.Hit
	Whole bool
}

// FindWords returns the entries that fit a query best, best first, at most limit, and how many have any of its words. Errors:
// corrupt.
func FindWords(tx kv.Tx, query string, limit int) (found []FoundPlace, total int, err error) {
	hits, total, err := index.Find(tx, query, limit)
	for _, h := range hits {
		session, seq, ok := bytes.Cut([]byte(h.Name), []byte{0})
		if !ok || len(seq) != 8 {
			return nil, 0, fault.New(fault.Corrupt, "sessions.find", "the index of messages names no entry")
		}
		at := Place{Session: string(session), Seq: int64(binary.BigEndian.Uint64(seq))}
		found = append(found, FoundPlace{at, h.Score, h.Whole})
	}
	return found, total, err
}
