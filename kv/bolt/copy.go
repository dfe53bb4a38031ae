package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

const (
	copyBatch = 4 << 20 // bytes of records in one transaction of a copy: bounds its memory
	copyFill  = 0.9     // of a page: records are added in order, so pages need little free space
)

// copyLedger copies the records of a snapshot of l into a new file of the state directory, and returns the
// file open and locked, with its temporary name. It verifies the tree and every envelope; damage ends the
// copy. The new file is not synced yet. Errors: corrupt, unavailable.
func copyLedger(ctx context.Context, root *os.Root, l *ledgerFile) (name string, to *ledgerFile, err error) {
	name, f, err := createTemp(root)
	if err != nil {
		return "", nil, osError("kv.copy", err)
	}
	db, err := openBolt(f, 0)
	if err != nil {
		_ = root.Remove(name) // a leftover is removed by the next owner
		return "", nil, osError("kv.copy", err)
	}
	to = &ledgerFile{db: db, file: f}
	if to.info, err = f.Stat(); err == nil {
		err = fillCopy(ctx, l, to)
	}
	if err != nil {
		if errors.Is(err, errStuck) {
			_ = abandon(f) // bbolt would deadlock on its own lock
		} else {
			_ = db.Close()
		}
		_ = root.Remove(name)
		return "", nil, osError("kv.copy", err)
	}
	return name, to, nil
}

// fillCopy copies the records and checks what was written.
func fillCopy(ctx context.Context, l, to *ledgerFile) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			err = &fault.Error{Code: fault.Corrupt, Op: "kv.copy", Message: ledgerName + " cannot be copied",
				Hint: hintDamaged, Err: fmt.Errorf("%w: %v", errStuck, v)}
		}
	}()
	err = view(l.db, func(t *tx) error {
		if err := checkSnapshot(l, t.btx); err != nil {
			return err
		}
		return copyRecords(ctx, t, to.db)
	})
	if err != nil {
		return err
	}
	return checkFile(to.file)
}

// discard removes a copy that is no longer needed.
func discard(root *os.Root, name string, l *ledgerFile) {
	_ = l.db.Close()
	_ = root.Remove(name) // a leftover is removed by the next owner
}

// checkSnapshot walks the pages that a transaction sees.
func checkSnapshot(l *ledgerFile, btx *bbolt.Tx) error {
	size := int64(l.db.Info().PageSize)
	return checkPages(l.file, metaPage{
		pageSize: size,
		root:     uint64(btx.Cursor().Bucket().Root()),
		pages:    uint64(btx.Size() / size),
	})
}

// checkFile walks the pages of the last transaction in a file.
func checkFile(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m, err := readMeta(f, info.Size())
	if err != nil {
		return err
	}
	return checkPages(f, m)
}

// copyRecords copies all buckets in order, also empty ones.
func copyRecords(ctx context.Context, t *tx, to *bbolt.DB) error {
	if err := t.checkBuckets(); err != nil {
		return err
	}
	names, err := t.buckets()
	if err != nil {
		return err
	}
	w, err := newBulkWriter(to)
	if err != nil {
		return err
	}
	for _, b := range names {
		if err = copyBucket(ctx, t, b, w); err != nil {
			break
		}
	}
	return w.end(err)
}

func copyBucket(ctx context.Context, t *tx, b kv.Bucket, w *bulkWriter) error {
	if err := w.bucket(b); err != nil {
		return err
	}
	for rec, err := range t.Scan(b, kv.Range{}) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := w.put(rec); err != nil {
			return err
		}
	}
	return nil
}

// bulkWriter fills a new file with records in order, in transactions of bounded size, without a sync: the
// file does not have its final name yet.
type bulkWriter struct {
	db    *bbolt.DB
	btx   *bbolt.Tx
	name  kv.Bucket // of current
	into  *bbolt.Bucket
	bytes int // in the transaction
}

func newBulkWriter(db *bbolt.DB) (*bulkWriter, error) {
	db.NoSync, db.NoGrowSync = true, true
	btx, err := db.Begin(true)
	if err != nil {
		return nil, err
	}
	return &bulkWriter{db: db, btx: btx}, nil
}

// bucket creates b, if need be, and selects it for the records that follow.
func (w *bulkWriter) bucket(b kv.Bucket) (err error) {
	if w.into, err = w.btx.CreateBucketIfNotExists([]byte(b)); err != nil {
		return notStored(err)
	}
	w.name, w.into.FillPercent = b, copyFill
	return nil
}

// put adds a record after all others of the bucket.
func (w *bulkWriter) put(rec kv.Record) (err error) {
	if w.bytes >= copyBatch {
		if err := w.btx.Commit(); err != nil {
			return notStored(err)
		}
		w.bytes = 0
		if w.btx, err = w.db.Begin(true); err != nil {
			return notStored(err)
		}
		if err := w.bucket(w.name); err != nil {
			return err
		}
	}
	w.bytes += len(rec.Key) + len(rec.Value)
	return notStored(w.into.Put(rec.Key, kv.Seal(w.name, rec.Key, rec.Value)))
}

// end commits the rest, or rolls back if the copy failed with err.
func (w *bulkWriter) end(err error) error {
	if err != nil {
		_ = w.btx.Rollback() // err is the error to return
		return err
	}
	err = notStored(w.btx.Commit())
	w.db.NoSync, w.db.NoGrowSync = false, false
	return err
}

// notDone is the error of work that ended because its context was done.
func notDone(op, what string, err error) error {
	return &fault.Error{Code: fault.Unavailable, Op: op, Message: what, Err: err}
}
