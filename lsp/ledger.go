package lsp

import (
	"context"

	"ctxledger.dev/internal/connection"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/records"
)

// Ledger is what the server uses of a ledger.
type Ledger interface {
	live.Ledger
	records.Ledger
	ledger.Recorder
	ledger.Servers
}

// shareable wraps dial so that the live session and all requests share one connection. Each caller closes its lease.
func shareable(dial func(context.Context) (Ledger, error)) func(context.Context) (Ledger, error) {
	shared := connection.NewLazy(dial)
	return func(ctx context.Context) (Ledger, error) {
		api, giveBack, err := shared.Lease(ctx)
		if err != nil {
			return nil, err
		}
		return &lease{Ledger: api, giveBack: giveBack}, nil
	}
}

// lease is one use of the shared connection.
type lease struct {
	Ledger
	giveBack func() error
}

// Close releases the lease. It is idempotent.
func (l *lease) Close() error { return l.giveBack() }

// unrecorded says why there is nothing to read; "": there is a ledger, or one begins when it is first used.
func (s *folder) unrecorded() string {
	if s.snapshot().settings.Live || s.workspace.Open == nil || s.workspace.Recorded() {
		return ""
	}
	return s.notFollowed()
}

// notFollowed says which setting keeps sessions from being followed; "": none.
func (s *folder) notFollowed() string {
	k := s.snapshot()
	if off := k.configured.notFollowed(); off != "" || k.settings.Live {
		return off
	}
	return "the setting " + section + ".live is off"
}

// use calls do with the ledger. Errors: those of do and of opening the ledger; unavailable without a workspace, and where
// nothing is recorded and the live session is not followed.
func (s *folder) use(ctx context.Context, do func(Ledger) error) error {
	if why := s.unrecorded(); why != "" {
		e := fault.New(fault.Unavailable, "lsp.ledger", "nothing is recorded here: %s", why)
		if s.snapshot().configured.FollowOff != "" {
			return e
		}
		return e.WithHint("*Read Past Sessions* reads the sessions that coding agents left in this folder")
	}
	return s.record(ctx, do)
}

// record is use that creates the ledger, if there is none.
func (s *folder) record(ctx context.Context, do func(Ledger) error) error {
	if s.workspace.Open == nil {
		if s.lost != nil {
			return unopened(s.lost)
		}
		return fault.New(fault.Unavailable, "lsp.ledger", "no open folder has a ledger").
			WithHint("open the folder that your coding agent works in; home and temporary directories have no ledger")
	}
	api, err := s.connect(ctx)
	if err != nil {
		return unopened(err)
	}
	defer api.Close() // what was written has been acknowledged
	if !s.snapshot().settings.Live {
		defer s.again.Look() // nothing tells of what others recorded meanwhile
	}
	return do(api)
}

// connect opens the ledger. While the live session is not followed it starts nothing.
func (s *folder) connect(ctx context.Context) (Ledger, error) {
	if s.snapshot().settings.Live {
		return s.workspace.Open(ctx)
	}
	return s.workspace.Read(ctx)
}

// unopened converts the reason why there is no ledger: an invalid workspace does not make the request invalid.
func unopened(err error) error {
	if !fault.Is(err, fault.Invalid) {
		return err
	}
	return fault.New(fault.Unavailable, "lsp.ledger", "%s", err.Error()).WithHint("%s", fault.HintOf(err))
}

// read calls do with a reader of the ledger.
func read[R any](ctx context.Context, s *folder, do func(records.Reader) (R, error)) (result R, err error) {
	err = s.use(ctx, func(api Ledger) error {
		k := s.snapshot()
		result, err = do(records.Reader{API: api, Now: s.o.Env.Now(), Follows: k.settings.Live,
			Models: k.configured.Models})
		return err
	})
	return result, err
}

// modify calls do to change the ledger. The client is notified by the ledger's events or, if the live session is not
// followed, from here.
func (s *folder) modify(ctx context.Context, do func(Ledger) error) error {
	return s.modified(s.use(ctx, do))
}

// modified notifies the client, unless the change failed.
func (s *folder) modified(err error) error {
	if err == nil {
		s.pending.contents()
	}
	if err == nil && !s.snapshot().settings.Live {
		s.pending.ledger()
	}
	return err
}
