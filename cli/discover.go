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
	measuringMost  = 2 * time.Second // how long it may then take to learn how their models count
)

// discovered waits until the owner has read the session files that it found, at most a minute: an owner that has just
// started reads those of the last day. It also waits for the first measurements, without which all figures are rough and
// change a moment later. On a terminal it shows how many sessions there are so far. It returns what the owner said last.
func discovered(ctx context.Context, a *action) (ledger.Info, error) {
	began, tick := a.Env.Now(), time.NewTicker(discoveryEvery)
	defer tick.Stop()
	shown, read := false, time.Duration(0) // when all was read, after the beginning
	defer func() {
		if shown {
			fmt.Fprint(a.Err, "\r\x1b[K")
		}
	}()
	for {
		info, err := a.ledger.Info(ctx, ledger.InfoRequest{})
		took := a.Env.Now().Sub(began)
		if err != nil || took > discoveryMost {
			return info, err
		}
		if reading(info) {
			read = took
		} else if took-read > measuringMost || !unmeasured(ctx, a.ledger, info) {
			return info, nil
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

// unmeasured reports whether the owner has sessions, learns from them, and has not measured any yet.
func unmeasured(ctx context.Context, api ledger.Calibration, info ledger.Info) bool {
	if info.Sessions == 0 || !slices.ContainsFunc(info.Tasks, func(t ledger.TaskState) bool {
		return t.Name == ledger.TaskMeasure && t.Trouble() == ""
	}) {
		return false
	}
	known, err := api.Estimators(ctx, ledger.EstimatorsRequest{})
	return err == nil && known.Event == 0
}

// reading reports whether the owner is at work on session files.
func reading(info ledger.Info) bool {
	return slices.ContainsFunc(info.Tasks, func(t ledger.TaskState) bool {
		return t.Name == ledger.TaskFollow && t.State == ledger.TaskWorking
	})
}
