package inmemory

import (
	"bytes"
	"iter"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// set is the records of a bucket in order of their keys.
type set []kv.Record

// at returns where a key is, or would be.
func (s set) at(key []byte) (int, bool) {
	return slices.BinarySearchFunc(s, key, func(r kv.Record, key []byte) int { return bytes.Compare(r.Key, key) })
}

// tx implements kv.Tx.
type tx struct {
	records map[kv.Bucket]set
	own     map[kv.Bucket]bool // the buckets of which this transaction has a copy to write to; nil in a view
	over    bool
}

func (t *tx) check(writes bool) error {
	switch {
	case t.over:
		return fault.New(fault.Unavailable, "kv.tx", "the transaction has ended")
	case writes && t.own == nil:
		return fault.New(fault.Denied, "kv.tx", "a view cannot be written to")
	}
	return nil
}

// copied returns the records of a bucket to write to.
func (t *tx) copied(b kv.Bucket) set {
	if !t.own[b] {
		t.own[b], t.records[b] = true, slices.Clone(t.records[b])
	}
	return t.records[b]
}

// Get implements kv.Tx.
func (t *tx) Get(b kv.Bucket, key []byte) ([]byte, error) {
	if err := t.check(false); err != nil {
		return nil, err
	}
	if i, ok := t.records[b].at(key); ok {
		return clone(t.records[b][i].Value), nil
	}
	return nil, nil
}

// clone returns a copy that is not nil.
func clone(value []byte) []byte { return append(make([]byte, 0, len(value)), value...) }

// Put implements kv.Tx.
func (t *tx) Put(b kv.Bucket, key, value []byte) error {
	if err := t.check(true); err != nil {
		return err
	}
	if err := kv.CheckRecord(b, key, value); err != nil {
		return err
	}
	r, records := kv.Record{Key: clone(key), Value: clone(value)}, t.copied(b)
	i, ok := records.at(key)
	if ok {
		records[i] = r
	} else {
		t.records[b] = slices.Insert(records, i, r)
	}
	return nil
}

// Delete implements kv.Tx.
func (t *tx) Delete(b kv.Bucket, key []byte) error {
	if err := t.check(true); err != nil {
		return err
	}
	if i, ok := t.records[b].at(key); ok {
		t.records[b] = slices.Delete(t.copied(b), i, i+1)
	}
	return nil
}

// Scan implements kv.Tx. It looks for each record anew: others may be changed meanwhile.
func (t *tx) Scan(b kv.Bucket, r kv.Range) iter.Seq2[kv.Record, error] {
	return func(yield func(kv.Record, error) bool) {
		low, high := r.Bounds()
		for {
			if err := t.check(false); err != nil {
				yield(kv.Record{}, err)
				return
			}
			records := t.records[b]
			from, _ := records.at(low)
			to := len(records)
			if high != nil {
				to, _ = records.at(high)
			}
			if from >= to {
				return
			}
			next := records[from]
			if r.Reverse {
				next = records[to-1]
				high = next.Key
			} else {
				low = append(clone(next.Key), 0)
			}
			if !yield(kv.Record{Key: clone(next.Key), Value: clone(next.Value)}, nil) {
				return
			}
		}
	}
}
