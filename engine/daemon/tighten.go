package daemon

import (
	"context"
	"time"

	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/ledger"
)

// tightenEvery is how often an owner looks at the permissions of all its files: a hundred thousand take
// less than a second.
const tightenEvery = 5 * time.Minute

// tightening is a ledger whose files can be made private again.
type tightening interface{ Tighten() error }

// KeepPrivate returns the task that keeps the files of a ledger private, whoever loosens their permissions.
func KeepPrivate() Task {
	return Task{Name: "keeping files private", Step: limits.Call, Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
		files, ok := api.(tightening)
		if !ok {
			return nil
		}
		tick := time.NewTicker(tightenEvery)
		defer tick.Stop()
		for {
			p.Beat()
			if err := files.Tighten(); err != nil {
				return err
			}
			p.Rest()
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
		}
	}}
}
