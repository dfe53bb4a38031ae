package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// lockWait is how long an owner waits for the lock of one that is leaving.
const lockWait = 250 * time.Millisecond

// lockTries is how often an exclusive owner waits that long for another exclusive one: it may be a short command.
const lockTries = 4

// alone is the ledger of an owner that serves no other process, and says so in owner.json.
type alone struct {
	ledger.API
	env   env.Env
	state string
	self  link.Owner
	found string // fingerprint of the ledger when it was opened; "": it records no place yet
}

// openInProcess makes this process the exclusive owner.
func openInProcess(ctx context.Context, o Options) (ledger.API, error) {
	const op = "daemon.open"
	if err := checkPlace(o.Env, o.State, o.Workspace); err != nil {
		return nil, err
	}
	options := engineOptions(o.Env, o.State, o.Workspace, o.Settings)
	options.Hosted = o.Hosted
	local, err := engine.Open(ctx, options)
	for i := 1; i < lockTries && fault.Is(err, fault.Locked) && !served(o.State); i++ {
		local, err = engine.Open(ctx, options)
	}
	if fault.Is(err, fault.Locked) {
		return nil, lockedBy(op, o.State)
	}
	if err != nil {
		return nil, err
	}
	a := &alone{API: local, env: o.Env, state: o.State, self: link.Owner{
		Protocol: link.Protocol, Version: o.Version, PID: os.Getpid(), Token: o.Env.ID(32),
		Started: o.Env.Now().UTC(), Workspace: o.Workspace, InProcess: true,
	}}
	_ = os.Remove(filepath.Join(o.State, socketName)) // left by a daemon that crashed
	if err := publish(a.self, o.State); err != nil {
		return nil, errors.Join(err, local.Close())
	}
	if workspace.ReadPlace(o.State).Root == o.Workspace {
		a.found, _ = fingerprint(o.State) // "" after an error
	}
	return a, nil
}

// Close records what the ledger is of, withdraws owner.json and releases the ledger.
func (a *alone) Close() error {
	now, err := fingerprint(a.state)
	if root := a.self.Workspace; root != "" && err == nil && now != a.found {
		ctx, cancel := context.WithTimeout(context.Background(), limits.TaskEnd/2)
		defer cancel()
		_ = recordPlace(ctx, a.env, a.state, root, a.API) // else the next owner does
	}
	return errors.Join(withdraw(a.self, a.state), a.API.Close())
}

// served reports whether a daemon owns a ledger: it stays.
func served(state string) bool {
	o, err := link.ReadOwner(state)
	return err == nil && !o.InProcess
}

// lockedBy is the error that names the owner of a locked ledger.
func lockedBy(op, state string) error {
	o, err := link.ReadOwner(state)
	switch {
	case err != nil:
		return link.Unfound(op, state)
	case o.InProcess:
		return o.Exclusive(op, state)
	}
	return fault.New(fault.Unavailable, op, "the ledger in %s is owned by the daemon with pid %d", state, o.PID).
		WithHint("run: ctxledger daemon stop, or leave out --in-process")
}
