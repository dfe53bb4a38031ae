package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv/bolt"
	"ctxledger.dev/ledger"
)

// lockWait is how long an owner waits for the lock of one that is leaving.
const lockWait = 250 * time.Millisecond

// alone is the ledger of an owner that serves no other process, and says so in owner.json.
type alone struct {
	ledger.API
	state string
	self  owner
}

// openInProcess makes this process the exclusive owner.
func openInProcess(ctx context.Context, o Options) (ledger.API, error) {
	const op = "daemon.open"
	local, err := engine.Open(ctx, engineOptions(o.Env, o.State, o.Workspace, o.Settings))
	if bolt.IsLocked(err) {
		return nil, lockedBy(op, o.State)
	}
	if err != nil {
		return nil, err
	}
	a := &alone{API: local, state: o.State, self: owner{
		Protocol: protocol, Version: o.Version, PID: os.Getpid(), Token: o.Env.ID(32),
		Started: o.Env.Now().UTC(), Workspace: o.Workspace, InProcess: true,
	}}
	_ = os.Remove(filepath.Join(o.State, socketName)) // left by a daemon that crashed
	if err := a.self.publish(o.State); err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return a, nil
}

// Close withdraws owner.json and releases the ledger.
func (a *alone) Close() error { return errors.Join(a.self.withdraw(a.state), a.API.Close()) }

// lockedBy is the error that names the owner of a locked ledger.
func lockedBy(op, state string) error {
	o, err := readOwner(state)
	switch {
	case err != nil:
		return unfound(op, state)
	case o.InProcess:
		return o.exclusive(op, state)
	}
	return fault.New(fault.Unavailable, op, "the ledger in %s is owned by the daemon with pid %d", state, o.PID).
		WithHint("run: ctxledger daemon stop, or leave out --in-process")
}

// hintUnknown is the hint when the owner has not published itself.
const hintUnknown = "try again, it may be starting or leaving; " +
	"if it stays, find it with lsof or fuser on ledger.db, and end that process"

// unfound is the error for a ledger whose owner has not published itself.
func unfound(op, state string) error {
	return fault.New(fault.Unavailable, op, "the ledger in %s is owned by another process", state).WithHint(hintUnknown)
}
