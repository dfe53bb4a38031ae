package wiring

import (
	"ctxledger.dev/config"
	"ctxledger.dev/given"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/graph"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/llm"
	"ctxledger.dev/tokens"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// Author returns how a server that acts for an agent finds the author of summaries: the summarizer that is configured
// for the tree at a root, with the credentials of this process. It does not prompt: a summarizer that is neither the
// user's own nor confirmed by the user is denied.
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

// Models returns how a server gets the models that the tree at a root configures.
func Models(e env.Env) func(root string) *tokens.Registry {
	return func(root string) *tokens.Registry { return settingsOf(e, root).Models }
}

// Given returns how a server gets what the tree at a root declares for agents, and what they are told besides.
func Given(e env.Env) func(root string) (spec.Spec, given.Told) {
	return func(root string) (spec.Spec, given.Told) {
		c := settingsOf(e, root)
		return c.Given, given.ToldBy(c)
	}
}

// Graph returns how a server gets the settings by which context graphs of the tree at a root are read.
func Graph(e env.Env) func(root string) graph.Settings {
	return func(root string) graph.Settings { return *settingsOf(e, root).Graph }
}

// settingsOf returns the settings of the tree at a root, the defaults where there is none.
func settingsOf(e env.Env, root string) config.Config {
	ws, err := workspace.Find(e, workspace.Options{Flag: root})
	if err != nil {
		return config.Default()
	}
	c, _ := config.Load(e, ws.Root, ws.State)
	return c
}

// Problems returns how a server that acts for an agent gets the problems of the configuration of the tree at a root:
// only those because of which a whole file is ignored, with what is in effect instead.
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
