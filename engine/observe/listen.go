package observe

import (
	"context"
	"sync"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// pause is how long to wait before asking a ledger again that did not answer.
const pause = time.Second

// listen returns a channel that gives an element whenever sessions have gone on: one at once, and one
// for everything that happens before it is taken; until then the ledger is not asked again. stop ends
// the listening and waits for its end.
func listen(ctx context.Context, api Ledger) (news <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	bell := make(chan struct{})
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
				case bell <- struct{}{}:
				case <-ctx.Done():
				}
			}
			r = ledger.WaitEventsRequest{After: resp.Next, Kinds: []string{ledger.EventEntries}, Limit: 1000, WaitMS: limits.LongPoll.Milliseconds()}
		}
	})
	return bell, func() { cancel(); running.Wait() }
}
