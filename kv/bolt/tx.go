package bolt

import (
	"bytes"
	"fmt"
	"iter"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// tx implements kv.Tx on a transaction of bbolt.
type tx struct {
	btx      *bbolt.Tx
	writable bool
	dirty    bool // something may have been changed since this was last cleared
	over     bool // the function that received the transaction has returned
}

var _ kv.Tx = (*tx)(nil)

// view runs fn in a read-only transaction.
func view(db *bbolt.DB, fn func(*tx) error) error {
	btx, err := db.Begin(false)
	if err != nil {
		return osError("kv.view", err)
	}
	defer btx.Rollback()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	t := &tx{btx: btx}
	defer func() { t.over = true }()
	return fn(t)
}

// Get implements kv.Tx.
func (t *tx) Get(b kv.Bucket, key []byte) (value []byte, err error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	defer recoverDamage(&err)
	bucket := t.btx.Bucket([]byte(b))
	if bucket == nil {
		return nil, nil
	}
	w := t.walk(bucket)
	k, raw := w.seek(key)
	if k != nil && bytes.Equal(k, key) {
		return unseal(b, key, raw)
	}
	return nil, checkMiss(b, w, k, raw)
}

// checkMiss distinguishes an absent record from one with a damaged key: keys are known to be in order, so
// such a record is still adjacent to the position of the walker. k and raw are the record there.
func checkMiss(b kv.Bucket, w *walker, k, raw []byte) error {
	if k != nil {
		if _, err := kv.Unseal(b, k, raw); err != nil {
			return err
		}
		k, raw = w.prev()
	} else {
		k, raw = w.last()
	}
	if k == nil {
		return nil
	}
	_, err := kv.Unseal(b, k, raw)
	return err
}

// Put implements kv.Tx.
func (t *tx) Put(b kv.Bucket, key, value []byte) (err error) {
	if err := t.checkWrite(); err != nil {
		return err
	}
	if err := kv.CheckRecord(b, key, value); err != nil {
		return err
	}
	defer recoverDamage(&err)
	defer failpoint.Hit("kv.record.put")
	t.dirty = true
	bucket := t.btx.Bucket([]byte(b))
	if bucket == nil {
		if bucket, err = createBucket(t.btx, b); err != nil {
			return notStored(err)
		}
	}
	return notStored(bucket.Put(key, kv.Seal(b, key, value))) // bbolt copies the key
}

// Delete implements kv.Tx.
func (t *tx) Delete(b kv.Bucket, key []byte) (err error) {
	if err := t.checkWrite(); err != nil {
		return err
	}
	defer recoverDamage(&err)
	bucket := t.btx.Bucket([]byte(b))
	if bucket == nil || bucket.Get(key) == nil {
		return nil
	}
	t.dirty = true
	return notStored(bucket.Delete(key))
}

// Scan implements kv.Tx.
func (t *tx) Scan(b kv.Bucket, r kv.Range) iter.Seq2[kv.Record, error] {
	return func(yield func(kv.Record, error) bool) {
		c, err := t.cursor(b, r)
		if err != nil {
			yield(kv.Record{}, err)
			return
		}
		for rec, ok, err := c.first(); ok || err != nil; rec, ok, err = c.next() {
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// check refuses a transaction that has ended.
func (t *tx) check() error {
	if t.over {
		return fault.New(fault.Unavailable, "kv.tx", "the transaction has ended")
	}
	return nil
}

// checkWrite refuses a transaction that cannot write.
func (t *tx) checkWrite() error {
	if err := t.check(); err != nil {
		return err
	}
	if !t.writable {
		return fault.New(fault.Denied, "kv.tx", "a view cannot be written to")
	}
	return nil
}

// unseal returns a copy of a stored value.
func unseal(b kv.Bucket, key, raw []byte) ([]byte, error) {
	value, err := kv.Unseal(b, key, raw)
	if err != nil {
		return nil, err
	}
	return append(make([]byte, 0, len(value)), value...), nil // not nil for an empty value
}

// recoverDamage turns a panic or fault inside bbolt into an error. It must be deferred only around bbolt's
// code, never around a caller's.
func recoverDamage(err *error) {
	if v := recover(); v != nil {
		*err = &fault.Error{Code: fault.Corrupt, Op: "kv.tx", Message: ledgerName + " is damaged",
			Hint: hintDamaged, Err: fmt.Errorf("bbolt: %v", v)}
	}
}
