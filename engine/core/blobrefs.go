package core

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// bucketUnreferenced lists, by hash, the blobs that a record stopped referencing, until they are deleted. After a
// crash in between, the next owner deletes them.
const bucketUnreferenced kv.Bucket = "doomed"

// MarkUnreferenced lists a blob for deletion unless another record references it. Call it in the transaction that
// removes the reference.
func MarkUnreferenced(tx kv.Tx, hash string) error {
	if hash == "" {
		return nil
	}
	return tx.Put(bucketUnreferenced, []byte(hash), nil)
}

// ReferenceBlob removes a blob that a record is about to reference from the list of blobs to delete. The caller holds
// the blobs: see HoldBlobs.
func (l *Ledger) ReferenceBlob(tx kv.Tx, hash string) error {
	if hash == "" {
		return nil
	}
	l.use(hash)
	return tx.Delete(bucketUnreferenced, []byte(hash))
}

// useUp deletes a blob that only carried a request, unless a record references it. A failure only costs disk space:
// the next owner deletes listed blobs, and garbage collection the others.
func (l *Ledger) useUp(ctx context.Context, hash string) {
	if err := l.Store.Update(ctx, func(tx kv.Tx) error { return MarkUnreferenced(tx, hash) }); err == nil {
		_ = l.DeleteUnreferenced(ctx)
	}
}

// DeleteUnreferenced deletes the listed blobs that no record references, and clears the list. No blob is referenced
// meanwhile.
func (l *Ledger) DeleteUnreferenced(ctx context.Context) error {
	l.references.Lock()
	defer l.references.Unlock()
	doomed, err := View(ctx, l, unreferencedBlobs)
	if err != nil || len(doomed) == 0 {
		return err
	}
	for hash, named := range doomed {
		if named {
			continue
		}
		if err := l.Store.DeleteBlob(ctx, hash); err != nil {
			return err
		}
	}
	failpoint.Hit("engine.doomed.deleted")
	return l.Store.Update(ctx, func(tx kv.Tx) (err error) {
		for hash := range doomed {
			err = cmp.Or(err, tx.Delete(bucketUnreferenced, []byte(hash)))
		}
		return err
	})
}

// unreferencedBlobs returns the listed blobs, and for each whether a record references it.
func unreferencedBlobs(tx kv.Tx) (map[string]bool, error) {
	doomed := map[string]bool{}
	for r, err := range tx.Scan(bucketUnreferenced, kv.Range{}) {
		if err != nil {
			return nil, err
		}
		doomed[string(r.Key)] = false
	}
	if len(doomed) == 0 {
		return nil, nil
	}
	for n, err := range BlobReferences(tx) {
		if err != nil {
			return nil, err
		}
		if _, on := doomed[n.Hash]; on {
			doomed[n.Hash] = true
		}
	}
	return doomed, nil
}

// BlobReference is a reference from a record to a blob.
type BlobReference struct {
	Hash    string
	Size    int64  // bytes of the content; 0: the record does not say
	Session string // of the log entry that names it
	Seq     int64  // of that entry; 0: an artifact names it
}

// BlobReferences yields every reference to a blob in the ledger: those of each log, then those of artifacts. A blob
// without one may be deleted, so every new kind of reference has to be added here.
func BlobReferences(tx kv.Tx) iter.Seq2[BlobReference, error] {
	return func(yield func(BlobReference, error) bool) {
		all, err := sessions.List(tx)
		if err != nil {
			yield(BlobReference{}, err)
			return
		}
		for _, s := range all {
			for e, err := range sessions.Scan(tx, s.ID, 0, 0) {
				if err != nil {
					yield(BlobReference{}, err)
					return
				}
				if !yieldEntry(s.ID, e.Entry, yield) {
					return
				}
			}
		}
		for a, err := range artifacts.All(tx) {
			if err != nil {
				yield(BlobReference{}, err)
				return
			}
			if a.Forgotten == nil && !yield(BlobReference{Hash: a.Hash, Size: a.Bytes}, nil) {
				return
			}
		}
	}
}

// yieldEntry yields the references of one entry, and reports whether more are wanted.
func yieldEntry(session string, e sessions.Entry, yield func(BlobReference, error) bool) bool {
	n := BlobReference{Session: session, Seq: e.Seq}
	if e.Kind == sessions.KindCompaction {
		var r compaction.Record
		if err := json.Unmarshal(e.Data, &r); err != nil {
			yield(n, fault.Wrap(fault.Corrupt, "engine.named", err))
			return false
		}
		if n.Hash = r.TextBlob; n.Hash != "" && !yield(n, nil) {
			return false
		}
	}
	n.Hash, n.Size = e.Blob, e.Size
	return n.Hash == "" || yield(n, nil)
}
