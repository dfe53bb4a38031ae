package core

import (
	"context"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// overtaken is how long a batch waits for the one before it, which its client has sent first.
const overtaken = time.Second

// await waits until an import has reached an offset, because the batches of one client may overtake
// each other on their way. An import that does not get there is for the transaction to refuse.
func (l *Ledger) await(ctx context.Context, id string, offset int64) error {
	var timer *time.Timer
	for {
		bell := l.nextBell() // before reading, so that no commit slips between
		st, err := View(ctx, l, func(tx kv.Tx) (ImportRecord, error) { return readImport(tx, id) })
		if err != nil || st.Offset >= offset {
			return err
		}
		if timer == nil {
			timer = time.NewTimer(overtaken)
			defer timer.Stop()
		}
		select {
		case <-bell:
		case <-timer.C:
			return nil
		case <-l.closed:
			return nil // the transaction says it
		case <-ctx.Done():
			return fault.Wrap(fault.Unavailable, "engine.append", ctx.Err())
		}
	}
}
