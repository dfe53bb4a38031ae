package upkeep

import (
	"context"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/kv"
)

// keyErasing is the record of core.BucketEngine that says that something was forgotten of which bytes are still in
// freed pages, unreferenced blobs or copies.
var keyErasing = []byte("erasing")

// begin notes in the transaction of a forgetting that the disk is not clean yet.
func (s *step) begin() error { return s.Put(core.BucketEngine, keyErasing, []byte{1}) }

// resume does what a forgetting that was cut off has left to do.
func (l *Upkeep) resume(ctx context.Context) error {
	left, err := core.View(ctx, l.core, func(tx kv.Tx) (bool, error) {
		v, err := tx.Get(core.BucketEngine, keyErasing)
		return v != nil, err
	})
	if err != nil || !left {
		return err
	}
	return l.discard(ctx)
}

// discard removes the bytes of what was forgotten from every place of the inventory: blobs, exports, copies, caches and
// freed pages. It is done when it returns; a failure is the error of the request, and the next owner finishes it.
func (l *Upkeep) discard(ctx context.Context) error {
	failpoint.Hit("engine.forget.committed")
	for _, p := range Inventory() {
		if p.erase == nil {
			continue
		}
		if err := p.erase(ctx, l); err != nil {
			return err
		}
	}
	return l.core.Store.Update(ctx, func(tx kv.Tx) error { return tx.Delete(core.BucketEngine, keyErasing) })
}
