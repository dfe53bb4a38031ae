package cli

import (
	"context"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/ledger"
)

// askDaemon bounds how long a count waits for what a daemon has learnt of its model.
const askDaemon = 250 * time.Millisecond

// learnt returns what was learnt of a model, as far as the daemon of the workspace knows it, or that of the user ledger
// where the first does not run. None is started, and no ledger opened.
func learnt(ctx context.Context, a *action, model string) []byte {
	ws, err := a.find()
	if err != nil {
		return nil // counting needs no workspace
	}
	ctx, cancel := context.WithTimeout(ctx, askDaemon)
	defer cancel()
	for _, state := range []string{ws.State, ws.UserState} {
		api, err := daemon.Open(ctx, daemon.Options{State: state, Env: a.Env, Version: a.Version, NoSpawn: true})
		if err != nil {
			continue
		}
		defer api.Close()                          // nothing was written
		known, _ := ledger.Learnt(ctx, api, model) // else it is counted without
		return known
	}
	return nil
}
