package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// Waiting for the owner to read the session files of a place.
const (
	discoveryMost  = time.Minute
	discoveryEvery = 20 * time.Millisecond
)

// discovered waits until the owner has read the session files that it found, at most a minute: an owner that has just
// started reads those of the last day. On a terminal it shows how many sessions there are so far. It returns what the
// owner said last.
func discovered(ctx context.Context, a *action) (ledger.Info, error) {
	began, tick := a.Env.Now(), time.NewTicker(discoveryEvery)
	defer tick.Stop()
	shown := false
	defer func() {
		if shown {
			fmt.Fprint(a.Err, "\r\x1b[K")
		}
	}()
	for {
		info, err := a.ledger.Info(ctx, ledger.InfoRequest{})
		took := a.Env.Now().Sub(began)
		if err != nil || !reading(info) || took > discoveryMost {
			return info, err
		}
		if took > barDelay && terminal(a.Err) && !a.json {
			shown = true
			fmt.Fprintf(a.Err, "\rreading the session files of this place: %s so far\x1b[K",
				chars.Plural(info.Sessions, "session"))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return info, fault.Wrap(fault.Unavailable, "cli.discover", ctx.Err())
		}
	}
}

// reading reports whether the owner is at work on session files.
func reading(info ledger.Info) bool {
	return slices.ContainsFunc(info.Tasks, func(t ledger.TaskState) bool {
		return t.Name == ledger.TaskFollow && t.State == ledger.TaskWorking
	})
}
