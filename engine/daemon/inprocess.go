package daemon

import (
	"context"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv/bolt"
)

// lockWait is how long an owner waits for the lock of one that is just leaving.
const lockWait = 250 * time.Millisecond

// openInProcess makes this process the owner, for itself alone.
func openInProcess(ctx context.Context, o Options) (engine.API, error) {
	local, err := engine.Open(ctx, engine.Options{
		State: o.State, Workspace: o.Workspace, Env: o.Env, LockWait: lockWait,
	})
	if err == nil {
		return local, nil
	}
	if !bolt.IsLocked(err) {
		return nil, err
	}
	const op = "daemon.open"
	if owner, no := readOwner(o.State); no == nil {
		return nil, fault.New(fault.Unavailable, op, "the ledger in %s is owned by the daemon with pid %d", o.State, owner.PID).
			WithHint("run: ctxledger daemon stop, or leave out --in-process")
	}
	return nil, fault.New(fault.Unavailable, op, "the ledger in %s is owned by another process", o.State).
		WithHint("end that process")
}
