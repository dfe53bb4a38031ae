package lsp

import (
	"context"
	"sync"
	"sync/atomic"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp/records"
)

// ledger is the one connection to the ledger: what follows the live session and all requests share it. It is
// open while somebody uses it, so after a failure of it the next one who asks opens it anew.
type lazyLedger struct {
	dial func(context.Context) (ledger.API, error)
	gate chan struct{} // holds one token, for whoever uses the fields below

	api   ledger.API // guarded by gate; nil: nobody uses it
	users int        // guarded by gate

	refused atomic.Pointer[failure] // the last time it could not be opened
}

// failure is why a ledger could not be opened.
type failure struct{ err error }

func newLedger(dial func(context.Context) (ledger.API, error)) *lazyLedger {
	return &lazyLedger{dial: dial, gate: make(chan struct{}, 1)}
}

// open returns the ledger. Whoever has it closes it. A ledger that cannot be opened may take its time to say
// so: who waits meanwhile gets the same answer. Errors: those of dialing; unavailable when ctx ends first.
func (l *lazyLedger) open(ctx context.Context) (ledger.API, error) {
	before := l.refused.Load()
	select {
	case l.gate <- struct{}{}:
		defer func() { <-l.gate }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, "lsp.ledger", ctx.Err())
	}
	if l.api == nil {
		if r := l.refused.Load(); r != before {
			return nil, r.err
		}
		api, err := l.dial(ctx)
		if err != nil {
			if ctx.Err() == nil { // else it is nobody else's answer
				l.refused.Store(&failure{err})
			}
			return nil, err
		}
		l.api = api
	}
	l.users++
	return &share{API: l.api, leave: sync.OnceValue(l.leave)}, nil
}

// leave closes the ledger when nobody uses it any more.
func (l *lazyLedger) leave() error {
	l.gate <- struct{}{}
	defer func() { <-l.gate }()
	if l.users--; l.users > 0 {
		return nil
	}
	api := l.api
	l.api = nil
	return api.Close()
}

// share is the ledger as one of its users has it.
type share struct {
	ledger.API
	leave func() error
}

// Close gives the ledger back. Closing twice is once.
func (s *share) Close() error { return s.leave() }

// use opens the ledger, has it used, and gives it back. Errors: those of opening it; why there is none.
func (s *Server) use(ctx context.Context, do func(ledger.API) error) error {
	if s.place.Open == nil {
		if s.lost != nil {
			return unopened(s.lost)
		}
		return fault.New(fault.Unavailable, "lsp.ledger", "no folder is open that has a ledger").
			WithHint("open a folder that coding agents work in; home and temporary directories have none")
	}
	api, err := s.place.Open(ctx)
	if err != nil {
		return unopened(err)
	}
	defer api.Close() //nolint:errcheck // what was written has been acknowledged
	return do(api)
}

// unopened returns why there is no ledger. What is invalid about its place is not so about the request.
func unopened(err error) error {
	if !fault.Is(err, fault.Invalid) {
		return err
	}
	return fault.New(fault.Unavailable, "lsp.ledger", "%s", err.Error()).WithHint("%s", fault.HintOf(err))
}

// read has the ledger read for the editor.
func read[R any](ctx context.Context, s *Server, do func(records.Reader) (R, error)) (result R, err error) {
	err = s.use(ctx, func(api ledger.API) error {
		result, err = do(records.Reader{API: api, Now: s.o.Env.Now()})
		return err
	})
	return result, err
}

// modify has the ledger changed. Whoever follows it hears of that by its events; where nobody does, the client
// is told here.
func (s *Server) modify(ctx context.Context, do func(ledger.API) error) error {
	err := s.use(ctx, do)
	if err == nil {
		s.news.contents()
	}
	if err == nil && !s.known().settings.Live {
		s.news.ledger()
	}
	return err
}
