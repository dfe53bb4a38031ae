package observe

import (
	"context"
	"log/slog"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/ledger"
)

// Ledger is the part of engine.API that an observer needs.
type Ledger interface {
	Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error)
	Touched(ctx context.Context, r ledger.TouchedRequest) (ledger.TouchedResponse, error)
	RecordStates(ctx context.Context, r ledger.RecordStatesRequest) (ledger.RecordStatesResponse, error)
	WaitEvents(ctx context.Context, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error)
}

// Options says how to observe. All fields but Env may be empty.
type Options struct {
	Env env.Env      // the clock
	Log *slog.Logger // gets what went wrong; nil: nothing is logged
	// Tick says when to look again at what cannot be watched and to try again what failed; nil: every
	// two seconds while there is such a thing.
	Tick <-chan time.Time
	// Trees returns the roots of the trees that share the ledger; nil: its workspace alone.
	Trees func() []string
	// Skip reports whether the files of a tree are left alone; nil: of none.
	Skip func(tree string) bool
	// Pulse shows whether the observing makes progress; nil: nobody asks.
	Pulse *pulse.Pulse
}

// Run observes the trees of a ledger, those that sessions touched last, until ctx ends, and returns nil then. Trouble with a file, a
// directory, the watching or the ledger is logged and tried again; it ends nothing. Errors: invalid for
// a ledger without a workspace; those of Info.
func Run(ctx context.Context, api Ledger, o Options) error {
	info, err := api.Info(ctx, ledger.InfoRequest{})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Workspace == "" {
		return fault.New(fault.Invalid, "observe.run", "the ledger has no workspace to observe")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Trees == nil {
		o.Trees = func() []string { return []string{info.Workspace} }
	}
	if o.Skip == nil {
		o.Skip = func(string) bool { return false }
	}
	news, stop := listen(ctx, api)
	defer stop()
	k := &keeper{ledger: api, info: info, o: o, started: o.Env.Now().UTC().Round(0)}
	k.loop(ctx, news)
	return nil
}
