package daemon

import (
	"context"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

// userWait bounds one attempt to open the user ledger: what is asked of the project waits for it.
const userWait = 2 * time.Second

// lazy is a ledger that is opened when it is first needed. A failed attempt is made again with
// the next call, once.
type lazy struct {
	o      Options
	gate   chan struct{} // holds one token, for whoever uses the fields below
	api    engine.API    // guarded by gate
	closed bool          // guarded by gate
}

// get returns the ledger. Errors: those of Open.
func (l *lazy) get(ctx context.Context) (engine.API, error) {
	select {
	case l.gate <- struct{}{}:
		defer func() { <-l.gate }()
	case <-ctx.Done():
		return nil, late(ctx)
	}
	if l.closed {
		return nil, errClosed
	}
	if l.api != nil {
		return l.api, nil
	}
	ctx, cancel := context.WithTimeout(ctx, userWait)
	defer cancel()
	api, err := Open(ctx, l.o)
	if err != nil {
		return nil, &fault.Error{
			Code: fault.CodeOf(err), Op: "daemon.user", Message: "the user ledger cannot be opened", Err: err,
		}
	}
	l.api = api
	return api, nil
}

// close releases the ledger, if it was ever opened.
func (l *lazy) close() error {
	l.gate <- struct{}{}
	defer func() { <-l.gate }()
	l.closed = true
	if l.api == nil {
		return nil
	}
	return l.api.Close()
}
