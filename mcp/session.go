package mcp

import (
	"context"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// session finds the session that a call is about: the one it names, the host's own, or the one that
// was active in the last ten minutes. Errors: not_found; conflict, listing them, for several.
func (c *call) session(ctx context.Context, name string) (sessions.Session, error) {
	return c.api.Session(ctx, ledger.SessionRequest{Name: name, HostID: workspace.HostSession(c.o.Env)})
}
