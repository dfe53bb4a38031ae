package upkeep

import (
	"context"
	"maps"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// collectBatch is how many blobs are deleted under one lock: appends wait that long.
const collectBatch = 16

// CollectGarbage implements ledger.Housekeeping. It deletes blobs of requests that never ended, of forgotten contents, and of pages of
// views. Then it compacts the file of records.
func (l *Upkeep) CollectGarbage(ctx context.Context, _ ledger.CollectGarbageRequest) (ledger.Collected, error) {
	done, err := l.maintain(ctx, "collecting garbage")
	if err != nil {
		return ledger.Collected{}, err
	}
	defer done()
	defer l.spendReserve()()
	var c ledger.Collected
	if err := l.core.DeleteUnreferenced(ctx); err != nil {
		return c, err
	}
	if c.Blobs, err = l.collect(ctx); err != nil {
		return c, err
	}
	failpoint.Hit("engine.gc.collected")
	for _, purge := range purges {
		if err := purge(ctx, l); err != nil {
			return c, err
		}
	}
	if c.Copies, err = l.dropCopies(copyLife); err != nil {
		return c, err
	}
	freed, err := l.dropTemporary(false)
	c.Copies += freed
	if err != nil {
		return c, err
	}
	before, err := l.core.Store.Size(ctx)
	if err != nil {
		return c, err
	}
	if err := l.vacuum(ctx); err != nil {
		return c, err
	}
	after, err := l.core.Store.Size(ctx)
	c.Before, c.Records = before.Records, after.Records
	return c, err
}

// collect deletes the garbage. It keeps blobs that are stored or referenced after it starts.
func (l *Upkeep) collect(ctx context.Context) (ledger.BlobUsage, error) {
	l.core.TrackBlobUse(map[string]bool{})
	defer l.core.TrackBlobUse(nil)
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

// garbage returns the unreferenced blobs that are old enough to be deleted.
func (l *Upkeep) garbage(ctx context.Context) ([]kv.StoredBlob, error) {
	before := l.core.Now().Add(-limits.CollectGrace)
	old := map[string]kv.StoredBlob{}
	for b, err := range l.core.Store.Blobs(ctx) {
		if err != nil {
			return nil, err
		}
		if b.Modified.Before(before) {
			old[b.Hash] = b
		}
	}
	err := l.core.Store.View(ctx, func(tx kv.Tx) error {
		for n, err := range core.BlobReferences(tx) {
			if err != nil {
				return err
			}
			delete(old, n.Hash)
			if err := ended(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return slices.Collect(maps.Values(old)), err
}

// deleteUnused deletes those of some blobs that were not used since the collection began.
func (l *Upkeep) deleteUnused(ctx context.Context, batch []kv.StoredBlob, freed *ledger.BlobUsage) error {
	defer l.core.LockBlobs()()
	for _, b := range batch {
		if l.core.BlobUsed(b.Hash) {
			continue
		}
		if err := l.core.Store.DeleteBlob(ctx, b.Hash); err != nil {
			return err
		}
		count(freed, b.Disk, 0)
	}
	return nil
}

// vacuum removes every byte of deleted records from a store that keeps them. Errors: those of kv.Compacted.
func (l *Upkeep) vacuum(ctx context.Context) error {
	if s, ok := l.core.Store.(kv.Compacted); ok {
		return s.Vacuum(ctx)
	}
	return nil
}
