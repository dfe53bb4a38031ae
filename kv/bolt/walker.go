package bolt

import (
	"bytes"

	"go.etcd.io/bbolt"
)

// walker is a cursor of bbolt that handles pages that its own transaction has emptied. They stay in the
// tree until the commit. bbolt 1.5 takes such a page for the beginning of the bucket when it goes
// backwards, and does not return from Last when there is no other.
type walker struct {
	bolt   *bbolt.Cursor
	bucket *bbolt.Bucket
	writes bool   // whether pages may have been emptied
	at     []byte // the current key; nil: none
}

// walk returns a walker of a bucket.
func (t *tx) walk(bucket *bbolt.Bucket) *walker {
	return &walker{bolt: bucket.Cursor(), bucket: bucket, writes: t.writable}
}

// moved records the new position.
func (w *walker) moved(key, raw []byte) ([]byte, []byte) {
	w.at = key
	return key, raw
}

// seek goes to the first record at or after a key.
func (w *walker) seek(key []byte) (k, raw []byte) { return w.moved(w.bolt.Seek(key)) }

// next goes to the record after this one.
func (w *walker) next() (k, raw []byte) { return w.moved(w.bolt.Next()) }

// last goes to the last record.
func (w *walker) last() (k, raw []byte) {
	if w.writes && w.first() == nil {
		return w.moved(nil, nil)
	}
	return w.moved(w.bolt.Last())
}

// prev goes to the record before this one.
func (w *walker) prev() (k, raw []byte) {
	k, raw = w.bolt.Prev()
	if k == nil && w.writes && w.at != nil {
		for first := w.first(); first != nil && bytes.Compare(first, w.at) < 0 && k == nil; {
			k, raw = w.bolt.Prev() // skips one empty page
		}
	}
	return w.moved(k, raw)
}

// first returns the first key of the bucket, nil when it has none.
func (w *walker) first() []byte {
	k, _ := w.bucket.Cursor().First()
	return k
}
