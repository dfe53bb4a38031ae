package lsp

import (
	"context"

	"ctxledger.dev/internal/connection"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/records"
)

// Ledger is what the server uses of a ledger.
type Ledger interface {
	live.Ledger
	records.Ledger
}

// lender returns how the one connection to the ledger is opened that whatever follows the live session and all requests
// share. Whoever has it closes it.
func lender(dial func(context.Context) (Ledger, error)) func(context.Context) (Ledger, error) {
	shared := connection.NewLazy(dial)
	return func(ctx context.Context) (Ledger, error) {
		api, giveBack, err := shared.Lease(ctx)
		if err != nil {
			return nil, err
		}
		return &lease{Ledger: api, giveBack: giveBack}, nil
	}
}

// lease is the ledger as one of its users has it.
type lease struct {
	Ledger
	giveBack func() error
}

// Close gives the ledger back. Closing twice is once.
func (l *lease) Close() error { return l.giveBack() }

// use opens the ledger, has it used, and gives it back. Errors: those of opening it; why there is none.
func (s *Server) use(ctx context.Context, do func(Ledger) error) error {
	if s.workspace.Open == nil {
		if s.lost != nil {
			return unopened(s.lost)
		}
		return fault.New(fault.Unavailable, "lsp.ledger", "no folder is open that has a ledger").
			WithHint("open a folder that coding agents work in; home and temporary directories have none")
	}
	api, err := s.workspace.Open(ctx)
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
	err = s.use(ctx, func(api Ledger) error {
		result, err = do(records.Reader{API: api, Now: s.o.Env.Now()})
		return err
	})
	return result, err
}

// modify has the ledger changed. Whoever follows it hears of that by its events; where nobody does, the client
// is told here.
func (s *Server) modify(ctx context.Context, do func(Ledger) error) error {
	err := s.use(ctx, do)
	if err == nil {
		s.pending.contents()
	}
	if err == nil && !s.snapshot().settings.Live {
		s.pending.ledger()
	}
	return err
}
