package mcp

import (
	"context"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// Opener opens the ledger that a server is about. It is called again after it failed. roots are what
// the client calls its roots, file URIs in its order, if it was asked: see Options.AskRoots.
type Opener func(ctx context.Context, roots []string) (ledger.API, error)

// ledger is the ledger, opened when it is first needed: a client must not wait for a daemon to see
// the list of tools, and a ledger that cannot be reached now may be later.
type lazyLedger struct {
	open   func(context.Context) (ledger.API, error)
	gate   chan struct{} // holds one token, for whoever uses the fields below
	api    ledger.API    // guarded by gate
	closed bool          // guarded by gate
}

func newLedger(open func(context.Context) (ledger.API, error)) *lazyLedger {
	return &lazyLedger{open: open, gate: make(chan struct{}, 1)}
}

// get returns the ledger. Errors: those of the Opener; unavailable when ctx ends first.
func (l *lazyLedger) get(ctx context.Context) (ledger.API, error) {
	select {
	case l.gate <- struct{}{}:
		defer func() { <-l.gate }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, "mcp.ledger", ctx.Err())
	}
	if l.closed {
		return nil, fault.New(fault.Unavailable, "mcp.ledger", "the server is ending")
	}
	if l.api != nil {
		return l.api, nil
	}
	api, err := l.open(ctx)
	if err == nil {
		l.api = api
	}
	return api, err
}

// warm opens the ledger before anybody asks. What goes wrong is told to who asks.
func (l *lazyLedger) warm(ctx context.Context) {
	_, _ = l.get(ctx)
}

// close releases the ledger, if it was ever opened.
func (l *lazyLedger) close() error {
	l.gate <- struct{}{}
	defer func() { <-l.gate }()
	l.closed = true
	if l.api == nil {
		return nil
	}
	return l.api.Close()
}
