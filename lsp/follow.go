package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// followArgument selects the session to follow.
type followArgument struct {
	Session string `json:"session"` // "": chosen by itself again
}

// choose follows the session that the user chose, until another one is chosen or the server ends.
func (s *Server) choose(ctx context.Context, args []protocol.LSPAny) (any, error) {
	which, err := argument[followArgument](commandFollow, args)
	if err != nil {
		return nil, err
	}
	d := done{Said: "The session that is live is shown."}
	if which.Session != "" {
		err = s.use(ctx, func(api Ledger) error {
			session, err := api.Session(ctx, ledger.SessionRequest{Name: which.Session})
			which.Session = session.ID
			d.Said = "Session " + session.ID + " is shown until you choose another one."
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	s.update(func(k *snapshot) { k.pinned = which.Session })
	s.follow()
	return d, nil
}

// session finds the session that a request names; "" is the one that is followed, else the newest.
func (s *Server) session(ctx context.Context, api Ledger, name string) (sessions.Session, error) {
	if name != "" {
		return api.Session(ctx, ledger.SessionRequest{Name: name})
	}
	if followed := s.snapshot().live.Session; followed != "" {
		session, err := api.Session(ctx, ledger.SessionRequest{Name: followed})
		if !fault.Is(err, fault.NotFound) {
			return session, err
		}
	}
	return api.Session(ctx, ledger.SessionRequest{Latest: true})
}
