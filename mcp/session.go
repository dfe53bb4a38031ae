package mcp

import (
	"context"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// session finds the session of a call: the named one, the host's own, or the one that was active in the last ten
// minutes. Errors: not_found; conflict, which lists the candidates.
func (c *call) session(ctx context.Context, name string) (sessions.Session, error) {
	return c.api.Session(ctx, ledger.SessionRequest{Name: name, HostID: workspace.HostSession(c.o.Env)})
}
