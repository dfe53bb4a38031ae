package daemon

import (
	"context"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/ledger"
)

const (
	indexStill = time.Second // nothing was recorded for as long before words are indexed: an import has the processor
	indexWaits = 30          // times that it waits so at most
	indexAgain = time.Minute // after an error
)

// indexing is a ledger that makes an index of words.
type indexing interface {
	IndexWords(ctx context.Context) (more bool, err error)
}

// index has what is recorded be found by its words, when recording pauses.
func (d *daemon) index(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
	l, ok := api.(indexing)
	if !ok {
		return nil
	}
	wait := ledger.WaitEventsRequest{After: -1, Kinds: []string{ledger.EventEntries, ledger.EventArtifact}, Limit: 1000}
	now, err := api.WaitEvents(ctx, wait)
	if err != nil {
		return err
	}
	wait.After = now.Next
	for ctx.Err() == nil {
		for more := true; more && ctx.Err() == nil; {
			p.Beat()
			var err error
			if more, err = l.IndexWords(ctx); err != nil && ctx.Err() == nil {
				d.log.Warn("index", "error", err.Error())
				p.Rest()
				env.Sleep(ctx, indexAgain)
			}
		}
		p.Rest()
		wait.WaitMS = limits.LongPoll.Milliseconds()
		for range indexWaits {
			resp, err := api.WaitEvents(ctx, wait)
			if err != nil {
				return err
			}
			idle := len(resp.Events) == 0 && !resp.Missed
			if wait.After = resp.Next; idle {
				break
			}
			wait.WaitMS = indexStill.Milliseconds()
		}
	}
	return nil
}
