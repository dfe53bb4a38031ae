package core

import (
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

// bucketUnreferenced holds, by hash, the blobs that a record stopped naming, until they are deleted: a crash
// in between is made good by the next owner.
const bucketUnreferenced kv.Bucket = "doomed"

// MarkUnreferenced puts a blob on the list of those that are deleted unless some record names them. It belongs
// into the transaction that takes the name out of a record.
func MarkUnreferenced(tx kv.Tx, hash string) error {
	if hash == "" {
		return nil
	}
	return tx.Put(bucketUnreferenced, []byte(hash), nil)
}

// ReferenceBlob takes a blob that a record is about to name off the list of those to be deleted. The caller
// holds l.references for reading.
func (l *Ledger) ReferenceBlob(tx kv.Tx, hash string) error {
	l.use(hash)
	return tx.Delete(bucketUnreferenced, []byte(hash))
}

// useUp deletes a blob that only carried a request, unless a record names it. A failure costs disk
// and nothing else: the next owner deletes what is doomed, and a blob that was not doomed is what a
// crash would have left as well.
func (l *Ledger) useUp(ctx context.Context, hash string) {
	if err := l.Store.Update(ctx, func(tx kv.Tx) error { return MarkUnreferenced(tx, hash) }); err == nil {
		_ = l.DeleteUnreferenced(ctx)
	}
}

// DeleteUnreferenced deletes the doomed blobs that no record names, and clears the list. Nobody comes to
// name a blob meanwhile.
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
	return l.Store.Update(ctx, func(tx kv.Tx) error {
		for hash := range doomed {
			if err := tx.Delete(bucketUnreferenced, []byte(hash)); err != nil {
				return err
			}
		}
		return nil
	})
}

// unreferencedBlobs returns the list, and of each blob on it whether a record names it nevertheless.
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

// BlobReference is a record that names a blob.
type BlobReference struct {
	Hash     string
	Size     int64  // bytes of the content; 0: the record does not say
	Session  string // of the log entry that names it
	Seq      int64  // of that entry; 0: an artifact names it
	artifact string // handle
}

// BlobReferences yields every reference to a blob in the ledger, log by log, then those of artifacts. A blob
// that is not among them may be deleted: what comes to name blobs comes to this function too.
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
			if a.Forgotten == nil && !yield(BlobReference{Hash: a.Hash, Size: a.Bytes, artifact: a.ID}, nil) {
				return
			}
		}
	}
}

// yieldEntry yields the blobs that one entry names, and reports whether more are wanted.
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
