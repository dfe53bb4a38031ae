package lsp

import (
	"context"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

// ledger lends one opened ledger to everybody who asks, and closes it when the last one has given it back: a
// process that owns its ledger cannot open it twice.
type ledger struct {
	open  func(context.Context) (engine.API, error)
	door  chan struct{} // holds one; whoever has it may touch what follows
	api   engine.API    // nil: nobody has it
	users int
}

// lender returns what lends the ledger that open opens: as open does, but once at a time.
func lender(open func(context.Context) (engine.API, error)) func(context.Context) (engine.API, error) {
	l := &ledger{open: open, door: make(chan struct{}, 1)}
	l.door <- struct{}{}
	return l.lend
}

// lend opens the ledger, if nobody has it yet. Errors: those of opening it.
func (l *ledger) lend(ctx context.Context) (engine.API, error) {
	select {
	case <-l.door:
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, "lsp.ledger", ctx.Err())
	}
	defer func() { l.door <- struct{}{} }()
	if l.api == nil {
		api, err := l.open(ctx)
		if err != nil {
			return nil, err
		}
		l.api = api
	}
	l.users++
	return &lent{API: l.api, from: l}, nil
}

// lent is a ledger that is given back by closing it, once.
type lent struct {
	engine.API
	from *ledger
}

// Close gives the ledger back.
func (b *lent) Close() error {
	l := b.from
	if l == nil {
		return nil
	}
	b.from = nil
	<-l.door
	defer func() { l.door <- struct{}{} }()
	if l.users--; l.users > 0 {
		return nil
	}
	api := l.api
	l.api = nil
	return api.Close()
}
