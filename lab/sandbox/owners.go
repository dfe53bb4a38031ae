package sandbox

import (
	"context"
	"errors"
	"time"

	"ctxledger.dev/engine/daemon/link"
)

// StopOwners ends the owners of the ledgers in some state directories, those included that are only starting: a client
// on a busy machine may be gone before the owner that it has started is one. Errors: those of link.Stop.
func StopOwners(ctx context.Context, states ...string) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var err error
		for _, state := range states {
			err = errors.Join(err, link.Stop(ctx, state))
		}
		if err != nil || !starting(states) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
