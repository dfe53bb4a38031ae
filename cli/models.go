package cli

import (
	"ctxledger.dev/config"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

// models returns what is known of models where the user is: the built-in ones, and those of the
// workspace's configuration. No ledger is opened and no daemon started. Errors: those of workspace.Find
// and config.Load.
func (a *app) models() (*tokens.Registry, error) {
	ws, err := a.find()
	if fault.Is(err, fault.Unavailable) {
		return tokens.Builtin(), nil // there is no place for a ledger, but none is needed
	}
	if err != nil {
		return nil, err
	}
	c, problems, err := config.Load(ws.Root)
	for _, p := range problems {
		a.say("%s", p)
	}
	return c.Models, err
}
