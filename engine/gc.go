package engine

import (
	"context"
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
