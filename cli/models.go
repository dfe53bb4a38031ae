package cli

import (
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

// models returns what is known of models where the user is: the built-in ones, and those of the
// configuration. No ledger is opened and no daemon started. Errors: those of workspace.Find.
func (a *app) models() (*tokens.Registry, error) {
	ws, err := a.find()
	if fault.Is(err, fault.Unavailable) {
		return tokens.Builtin(), nil // there is no place for a ledger, but none is needed
	}
	if err != nil {
		return nil, err
	}
	return a.settings(ws).Models, nil
}
