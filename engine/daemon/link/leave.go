package link

import (
	"context"
	"errors"
	"io"
	"net"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// askToLeave asks an owner to leave and waits until it has released the ledger.
func askToLeave(ctx context.Context, o Owner) error {
	conn, _, err := Dial(ctx, o, WantLeave, "")
	if err != nil {
		return err
	}
	return awaitLeave(ctx, conn)
}

// awaitLeave waits until an owner that was asked to leave closes the connection.
func awaitLeave(ctx context.Context, conn net.Conn) error {
	defer conn.Close() // the other side has closed it, or ctx has ended
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := io.Copy(io.Discard, conn); err != nil && ctx.Err() != nil {
		return late(ctx)
	}
	return nil
}

// stopWait is how long an owner may take to leave: until in-flight calls have ended, and a little more.
const stopWait = limits.Call + 2*limits.Leave

// Stop asks the owner of the ledger in a state directory to finish its work and leave, and returns when
// the ledger is free. A ledger without a daemon is not an error. Errors: unavailable when a process owns
// it exclusively, or the owner has not left in time.
func Stop(ctx context.Context, state string) error {
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	conn, o, _, err := Meet(ctx, state, WantLeave)
	switch {
	case fault.Is(err, fault.NotFound) || errors.Is(err, ErrNobody):
		return nil // there is none, or it crashed and left owner.json
	case err != nil:
		return err
	case o.Holds():
		return o.Exclusive("daemon.stop", state)
	case o.InProcess:
		return nil // it crashed as well
	}
	return awaitLeave(ctx, conn)
}
