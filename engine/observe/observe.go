package observe

import (
	"context"
	"log/slog"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pulse"
)

// Ledger is the part of engine.API that an observer needs.
type Ledger interface {
	Info(ctx context.Context, r engine.InfoRequest) (engine.Info, error)
	Touched(ctx context.Context, r engine.TouchedRequest) (engine.TouchedResponse, error)
	RecordStates(ctx context.Context, r engine.RecordStatesRequest) (engine.RecordStatesResponse, error)
	WaitEvents(ctx context.Context, r engine.WaitEventsRequest) (engine.WaitEventsResponse, error)
}

// Options says how to observe. All fields but Env may be empty.
type Options struct {
	Env env.Env      // the clock
	Log *slog.Logger // gets what went wrong; nil: nothing is logged
	// Tick says when to look again at what cannot be watched and to try again what failed; nil: every
	// two seconds while there is such a thing.
	Tick <-chan time.Time
	// Pulse shows whether the observing makes progress; nil: nobody asks.
	Pulse *pulse.Pulse
}

// Run observes the workspace of a ledger until ctx ends, and returns nil then. Trouble with a file, a
// directory, the watching or the ledger is logged and tried again; it ends nothing. Errors: invalid for
// a ledger without a workspace; those of safefs.Open when the workspace cannot be opened at all.
func Run(ctx context.Context, ledger Ledger, o Options) error {
	info, err := ledger.Info(ctx, engine.InfoRequest{})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Workspace == "" {
		return fault.New(fault.Invalid, "observe.run", "the ledger has no workspace to observe")
	}
	ob, err := newObserver(ledger, info, o)
	if err != nil {
		return err
	}
	defer ob.close()
	news, stop := listen(ctx, ledger)
	defer stop()
	ob.loop(ctx, news)
	return nil
}
