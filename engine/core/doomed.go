package core

import (
	"context"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/kv"
)

// bucketDoomed holds, by hash, the blobs that a record stopped naming, until they are deleted: a crash
// in between is made good by the next owner.
const bucketDoomed kv.Bucket = "doomed"

// Doom puts a blob on the list of those that are deleted unless some record names them. It belongs
// into the transaction that takes the name out of a record.
func Doom(tx kv.Tx, hash string) error {
	if hash == "" {
		return nil
	}
	return tx.Put(bucketDoomed, []byte(hash), nil)
}

// NameBlob takes a blob that a record is about to name off the list of those to be deleted. The caller
// holds l.naming for reading.
func (l *Ledger) NameBlob(tx kv.Tx, hash string) error {
	l.use(hash)
	return tx.Delete(bucketDoomed, []byte(hash))
}

// useUp deletes a blob that only carried a request, unless a record names it. A failure costs disk
// and nothing else: the next owner deletes what is doomed, and a blob that was not doomed is what a
// crash would have left as well.
func (l *Ledger) useUp(ctx context.Context, hash string) {
	if err := l.Store.Update(ctx, func(tx kv.Tx) error { return Doom(tx, hash) }); err == nil {
		_ = l.DeleteDoomed(ctx)
	}
}

// DeleteDoomed deletes the doomed blobs that no record names, and clears the list. Nobody comes to
// name a blob meanwhile.
func (l *Ledger) DeleteDoomed(ctx context.Context) error {
	l.Naming.Lock()
	defer l.Naming.Unlock()
	doomed, err := View(ctx, l, doomedBlobs)
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
			if err := tx.Delete(bucketDoomed, []byte(hash)); err != nil {
				return err
			}
		}
		return nil
	})
}

// doomedBlobs returns the list, and of each blob on it whether a record names it nevertheless.
func doomedBlobs(tx kv.Tx) (map[string]bool, error) {
	doomed := map[string]bool{}
	for r, err := range tx.Scan(bucketDoomed, kv.Range{}) {
		if err != nil {
			return nil, err
		}
		doomed[string(r.Key)] = false
	}
	if len(doomed) == 0 {
		return nil, nil
	}
	for n, err := range NamedBlobs(tx) {
		if err != nil {
			return nil, err
		}
		if _, on := doomed[n.Hash]; on {
			doomed[n.Hash] = true
		}
	}
	return doomed, nil
}
