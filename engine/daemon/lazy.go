package daemon

import (
	"context"
	"errors"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// userWait bounds one attempt to open the user ledger: what is asked of the project waits for it.
const userWait = 2 * time.Second

// lazy is a ledger that is opened when it is first needed. A failed attempt is made again with
// the next call, once.
type lazy struct {
	o      Options
	gate   chan struct{} // holds one token, for whoever uses the fields below
	api    ledger.API    // guarded by gate
	closed bool          // guarded by gate
}

// get returns the ledger. Errors: those of Open.
func (l *lazy) get(ctx context.Context) (ledger.API, error) {
	if err := l.enter(ctx); err != nil {
		return nil, err
	}
	defer l.exit()
	return l.open(ctx)
}

// once calls use with the ledger, which is closed again if nobody had needed it before. Errors: those
// of get, of use, and of closing.
func (l *lazy) once(ctx context.Context, use func(ledger.API) error) error {
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer l.exit()
	before := l.api
	api, err := l.open(ctx)
	if err != nil {
		return err
	}
	err = use(api)
	if before == nil {
		l.api = nil
		err = errors.Join(err, api.Close())
	}
	return err
}

// enter waits for gate.
func (l *lazy) enter(ctx context.Context) error {
	select {
	case l.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return late(ctx)
	}
}

func (l *lazy) exit() { <-l.gate }

// open opens the ledger, if it is not open yet. The caller holds gate.
func (l *lazy) open(ctx context.Context) (ledger.API, error) {
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
	defer l.exit()
	l.closed = true
	if l.api == nil {
		return nil
	}
	return l.api.Close()
}
