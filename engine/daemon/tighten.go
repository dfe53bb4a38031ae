package daemon

import (
	"context"
	"time"

	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// tightenEvery is how often an owner checks the permissions of its files: a hundred thousand take less
// than a second.
const tightenEvery = 5 * time.Minute

// KeepPrivate returns the task that keeps the files of a ledger private.
func KeepPrivate() Task {
	run := func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
		files, ok := api.(kv.Watched)
		if !ok {
			return nil
		}
		return every(ctx, tightenEvery, p, files.Tighten)
	}
	return Task{Name: "keeping files private", Step: limits.Call, Run: run}
}
