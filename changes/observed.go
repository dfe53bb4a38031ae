package changes

import (
	"cmp"
	"encoding/binary"
	"time"

	"ctxledger.dev/kv"
)

const (
	bucketTimes kv.Bucket = "change_times" // time, id → nothing: the observed changes by the file's time
	bucketLast  kv.Bucket = "change_last"  // 0 → the newest id when a change was withdrawn
)

// Claim reports whether c is what a session reported or meant, and was not observed yet.
func (c Change) Claim() bool { return c.Source != Observed && c.HashTo == "" }

// OfPath returns the newest changes of exactly this path, at most limit, newest first.
func OfPath(tx kv.Tx, path string, limit int) ([]Change, error) {
	return kv.Collect(indexed(tx, bucketPaths, kv.Range{Prefix: []byte(path + "\x00"), Reverse: true}), limit)
}

// ObservedBetween returns the observed changes of files from one time to another, both included, the
// oldest first and at most limit of them.
func ObservedBetween(tx kv.Tx, from, to time.Time, limit int) ([]Change, error) {
	return kv.Collect(indexed(tx, bucketTimes, kv.Range{From: timeKey(from, 0), To: timeKey(to.Add(1), 0)}), limit)
}

// Update replaces the record of a change. Its id and path are kept.
func Update(tx kv.Tx, c Change) error {
	old, err := get(tx, c.ID)
	if err != nil {
		return err
	}
	return cmp.Or(unindex(tx, old), put(tx, c))
}

// Withdraw removes a change that turned out not to have happened. Its id is not used again.
func Withdraw(tx kv.Tx, c Change) error {
	last, err := newest(tx)
	if err != nil {
		return err
	}
	return cmp.Or(tx.Put(bucketLast, idKey(0), idKey(last)), unindex(tx, c), tx.Delete(bucketChanges, idKey(c.ID)))
}

// indexes returns the keys under which a change is found.
func indexes(c Change) map[kv.Bucket][]byte {
	keys := map[kv.Bucket][]byte{bucketSessions: indexKey(c.Session, c.ID)}
	if k := indexKey(c.Path, c.ID); len(k) <= kv.MaxKey { // a longer path is found by its session
		keys[bucketPaths] = k
	}
	if c.Source == Observed {
		keys[bucketTimes] = timeKey(c.Time, c.ID)
	}
	return keys
}

func unindex(tx kv.Tx, c Change) error {
	for b, k := range indexes(c) {
		if err := tx.Delete(b, k); err != nil {
			return err
		}
	}
	return nil
}

func timeKey(t time.Time, id int64) []byte {
	k := binary.BigEndian.AppendUint64(nil, uint64(max(t.UnixNano(), 0)))
	return binary.BigEndian.AppendUint64(k, uint64(id))
}
