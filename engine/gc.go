package engine

import (
	"context"
	"io"
	"slices"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// collectBatch is how many blobs are deleted before appends get their turn again.
const collectBatch = 16

// CollectGarbage implements API. What it deletes are blobs of requests that never came to an end, of
// forgotten contents, and pages of views; then the records are rewritten without what was deleted.
func (l *Local) CollectGarbage(ctx context.Context, _ ledger.CollectGarbageRequest) (ledger.Collected, error) {
	done, err := l.maintain(ctx, "collecting garbage")
	if err != nil {
		return ledger.Collected{}, err
	}
	defer done()
	defer l.spendReserve()()
	var c ledger.Collected
	if c.Blobs, err = l.collect(ctx); err != nil {
		return c, err
	}
	failpoint.Hit("engine.gc.collected")
	if c.Copies, err = l.dropCopies(copyLife); err != nil {
		return c, err
	}
	before, err := l.store.Size(ctx)
	if err != nil {
		return c, err
	}
	if err := l.store.Vacuum(ctx); err != nil {
		return c, err
	}
	after, err := l.store.Size(ctx)
	c.Before, c.Records = before.Records, after.Records
	return c, err
}

// collect deletes the garbage. A blob that is stored or named from the moment that it starts stays.
func (l *Local) collect(ctx context.Context) (ledger.BlobUsage, error) {
	l.watchUse(map[string]bool{})
	defer l.watchUse(nil)
	var freed ledger.BlobUsage
	garbage, err := l.garbage(ctx)
	if err != nil {
		return freed, err
	}
	for batch := range slices.Chunk(garbage, collectBatch) {
		if err := l.deleteUnused(ctx, batch, &freed); err != nil {
			return freed, err
		}
	}
	return freed, nil
}

// garbage returns the blobs that no record names and that are old enough to go.
func (l *Local) garbage(ctx context.Context) ([]kv.StoredBlob, error) {
	before := l.now().Add(-limits.CollectGrace)
	old := map[string]kv.StoredBlob{}
	for b, err := range l.store.Blobs(ctx) {
		if err != nil {
			return nil, err
		}
		if b.Modified.Before(before) {
			old[b.Hash] = b
		}
	}
	err := l.store.View(ctx, func(tx kv.Tx) error {
		for n, err := range namedBlobs(tx) {
			if err != nil {
				return err
			}
			delete(old, n.hash)
			if err := ended(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	garbage := make([]kv.StoredBlob, 0, len(old))
	for _, b := range old {
		garbage = append(garbage, b)
	}
	return garbage, err
}

// deleteUnused deletes those of some blobs that have not come into use since the collection began.
func (l *Local) deleteUnused(ctx context.Context, batch []kv.StoredBlob, freed *ledger.BlobUsage) error {
	l.naming.Lock()
	defer l.naming.Unlock()
	for _, b := range batch {
		if l.used(b.Hash) {
			continue
		}
		if err := l.store.DeleteBlob(ctx, b.Hash); err != nil {
			return err
		}
		freed.Count++
		freed.Disk += b.Disk
	}
	return nil
}

// watchUse begins or, with nil, ends the noting of blobs that come into use. When it returns, every
// append that began before has been committed or given up.
func (l *Local) watchUse(seen map[string]bool) {
	l.naming.Lock()
	defer l.naming.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inUse = seen
}

// use notes that a blob is stored or named, in case garbage is being collected. The caller holds
// l.naming for reading.
func (l *Local) use(hash string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inUse != nil {
		l.inUse[hash] = true
	}
}

func (l *Local) used(hash string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inUse[hash]
}

// storeBlob stores a blob. The caller holds l.naming for reading when the content ends, and until it
// does not matter any more whether the blob is there.
func (l *Local) storeBlob(ctx context.Context, content io.Reader) (kv.BlobRef, error) {
	ref, err := l.store.PutBlob(ctx, content, limits.Blob)
	if err == nil {
		l.use(ref.Hash)
	}
	return ref, err
}

// PutBlob implements API. Garbage that is collected in this moment does not include the blob: whoever
// stored it has limits.CollectGrace to name it.
func (l *Local) PutBlob(ctx context.Context, content io.Reader) (kv.BlobRef, error) {
	end := &ending{Reader: content, then: l.naming.RLock}
	ref, err := l.storeBlob(ctx, end)
	if end.seen {
		l.naming.RUnlock()
	}
	return ref, err
}

// ending calls a function when a content has ended. It waits for a slow sender without a lock.
type ending struct {
	io.Reader
	then func()
	seen bool // whether it has been called
}

// Read implements io.Reader.
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err == io.EOF && !e.seen {
		e.seen = true
		e.then()
	}
	return n, err
}
