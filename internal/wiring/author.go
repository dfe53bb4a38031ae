package wiring

import (
	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/llm"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// Author returns how a server that acts for an agent finds who writes summaries: the summarizer of the tree at a
// root, with the credentials of this process. It asks nobody: one that is not the user's own, and that no person has
// confirmed, is denied.
func Author(e env.Env) func(root string) (ledger.Author, string, error) {
	return func(root string) (ledger.Author, string, error) {
		ws, err := workspace.Find(e, workspace.Options{Flag: root})
		if err != nil {
			return nil, "", err
		}
		approved, err := trust.Check(e, ws)
		if err != nil {
			return nil, "", err
		}
		model, err := llm.New(approved, e, "")
		if err != nil {
			return nil, "", err
		}
		return model.Author(), model.Config().Sections, nil
	}
}

// Problems returns how a server that acts for an agent learns what is wrong with the configuration of the tree at a
// root, in words: only what keeps a whole file from being used, and what is in force instead.
func Problems(e env.Env) func(root string) []string {
	return func(root string) []string {
		ws, err := workspace.Find(e, workspace.Options{Flag: root})
		if err != nil {
			return nil
		}
		var out []string
		_, problems := config.Load(e, ws.Root, ws.State)
		for _, p := range problems {
			if p.Instead != "" {
				out = append(out, p.String())
			}
		}
		return out
	}
}
