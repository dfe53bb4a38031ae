package observe

import (
	"context"
	"log/slog"
	"time"

	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/ledger"
)

// Ledger is the part of ledger.API that an observer needs.
type Ledger interface {
	Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error)
	Touched(ctx context.Context, r ledger.TouchedRequest) (ledger.TouchedResponse, error)
	RecordStates(ctx context.Context, r ledger.RecordStatesRequest) (ledger.RecordStatesResponse, error)
	WaitEvents(ctx context.Context, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error)
}

// Options says how to observe. All fields but Env may be empty.
type Options struct {
	Env env.Env      // the clock
	Log *slog.Logger // gets errors; nil: nothing is logged
	// Watch gives the watchers; nil: one of its own, which uses up one more of the system's.
	Watch *watch.Shared
	// Tick says when to poll what cannot be watched and to retry what failed; nil: every two seconds while there is
	// anything of either.
	Tick <-chan time.Time
	// Trees returns the roots of the trees that share the ledger; nil: its workspace alone.
	Trees func() []string
	// Skip reports whether a tree is not observed; nil: all are.
	Skip func(tree string) bool
	// Pulse reports progress to a watchdog; nil: there is none.
	Pulse *pulse.Pulse
}

// Run observes the most recently touched trees of a ledger until ctx ends, and then returns nil. Errors of a file, a
// directory, the watcher or the ledger are logged and retried; they do not end Run. Errors: invalid for a ledger without
// a workspace; those of Info.
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
	if o.Watch == nil {
		o.Watch = watch.NewShared(watch.Options{Log: o.Log, Now: o.Env.Now})
	}
	if o.Trees == nil {
		o.Trees = func() []string { return []string{info.Workspace} }
	}
	if o.Skip == nil {
		o.Skip = func(string) bool { return false }
	}
	updates, stop := listen(ctx, api)
	defer stop()
	k := &keeper{ledger: api, info: info, o: o, started: o.Env.Now().UTC().Round(0)}
	k.loop(ctx, updates)
	return nil
}
