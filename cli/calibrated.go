package cli

import (
	"context"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// askDaemon bounds how long a count waits for what a daemon has learnt of its model.
const askDaemon = 250 * time.Millisecond

// calibrated returns the counter with what was learnt of its model, if a daemon of the workspace or of the
// user ledger runs that knows something. None is started, and no ledger opened.
func calibrated(ctx context.Context, a *action, c tokens.Counter) tokens.Counter {
	if c.Exact() {
		return c
	}
	ws, err := a.find()
	if err != nil {
		return c // counting needs no workspace
	}
	ctx, cancel := context.WithTimeout(ctx, askDaemon)
	defer cancel()
	for _, state := range []string{ws.State, ws.UserState} {
		if e := estimator(ctx, a, state, c.Model()); e != nil {
			return c.With(e)
		}
	}
	return c
}

// estimator asks the daemon of a ledger, if one runs, for what is known of a model; nil: nothing.
func estimator(ctx context.Context, a *action, state, model string) *tokens.Estimator {
	api, err := daemon.Open(ctx, daemon.Options{State: state, Env: a.Env, Version: a.Version, NoSpawn: true})
	if err != nil {
		return nil
	}
	defer api.Close() // nothing was written
	known, err := api.Estimators(ctx, ledger.EstimatorsRequest{Models: []string{model}})
	if err != nil {
		return nil
	}
	for name, raw := range known.States {
		if e, err := tokens.ParseEstimator(name, raw); err == nil {
			return e
		}
	}
	return nil
}
