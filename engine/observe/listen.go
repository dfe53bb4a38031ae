package observe

import (
	"context"
	"sync"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// pause is how long to wait before a retry when the ledger did not answer.
const pause = time.Second

// listen returns a channel that receives an element whenever sessions have grown: one immediately, and then one for all
// events since the last was received; until then the ledger is not polled. stop ends listening and waits for its
// goroutine.
func listen(ctx context.Context, api Ledger) (updates <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ch := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for r := (ledger.WaitEventsRequest{After: -1}); ctx.Err() == nil; {
			resp, err := api.WaitEvents(ctx, r)
			if err != nil {
				env.Sleep(ctx, pause)
				continue
			}
			if r.After < 0 || len(resp.Events) > 0 || resp.Missed {
				select {
				case ch <- struct{}{}:
				case <-ctx.Done():
				}
			}
			r = ledger.WaitEventsRequest{
				After: resp.Next, Kinds: []string{ledger.EventEntries}, Limit: 1000,
				WaitMS: limits.LongPoll.Milliseconds(),
			}
		}
	})
	return ch, func() { cancel(); running.Wait() }
}
