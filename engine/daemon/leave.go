package daemon

import (
	"context"
	"errors"
	"io"
	"net"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// askToLeave asks an owner to leave and returns when it has: the connection stays open until its
// process has released the ledger.
func askToLeave(ctx context.Context, o owner) error {
	conn, _, err := dial(ctx, o, wantLeave, "")
	if err != nil {
		return err
	}
	return awaitLeave(ctx, conn)
}

// awaitLeave waits until an owner that was asked to leave has hung up.
func awaitLeave(ctx context.Context, conn net.Conn) error {
	defer conn.Close() // the other side has hung up, or ctx has ended
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := io.Copy(io.Discard, conn); err != nil && ctx.Err() != nil {
		return late(ctx)
	}
	return nil
}

// stopWait is how long an owner may take to leave: until calls under way have ended, and a little more.
const stopWait = limits.Call + 2*limits.Leave

// Stop asks the owner of the ledger in a state directory to leave: it finishes what it has begun.
// It returns when the ledger is free. A ledger without a daemon is not an error; one that a process
// keeps to itself is unavailable, and so is one whose owner has not left in time.
func Stop(ctx context.Context, state string) error {
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	conn, o, _, err := meet(ctx, state, wantLeave)
	switch {
	case fault.Is(err, fault.NotFound) || errors.Is(err, errNobody):
		return nil // there is none, or it died without withdrawing
	case err != nil:
		return err
	case o.holds():
		return o.keepsToItself("daemon.stop", state)
	case o.InProcess:
		return nil // it died as well
	}
	return awaitLeave(ctx, conn)
}
