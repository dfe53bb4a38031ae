package daemon

import (
	"context"
	"errors"
	"io"

	"ctxledger.dev/internal/fault"
)

// askToLeave asks an owner to leave and returns when it has: the connection stays open until its
// process has released the ledger.
func askToLeave(ctx context.Context, o owner) error {
	conn, _, err := meet(ctx, o, wantLeave)
	if err != nil {
		return err
	}
	defer conn.Close() // the other side has hung up, or ctx has ended
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := io.Copy(io.Discard, conn); err != nil && ctx.Err() != nil {
		return late(ctx)
	}
	return nil
}

// Stop asks the owner of the ledger in a state directory to leave: it finishes what it has begun.
// It returns when the ledger is free. A ledger without a daemon is not an error; one that a process
// keeps to itself is unavailable.
func Stop(ctx context.Context, state string) error {
	o, err := readOwner(state)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if o.holds() {
		return o.keepsToItself("daemon.stop", state)
	}
	if err := askToLeave(ctx, o); !errors.Is(err, errNobody) {
		return err
	}
	return nil // it died without withdrawing
}
