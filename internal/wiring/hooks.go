package wiring

import (
	"context"
	"time"

	"ctxledger.dev/agents/hook"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/config"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/wire"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

// answerer returns how a daemon answers the hooks of agents: as the configuration of the event's tree says, in the
// environment of the process that the agent started.
func answerer(e env.Env, load func(tree string) config.Config) daemon.HookAnswerer {
	return func(ctx context.Context, api ledger.API, event wire.HookEvent) ([]byte, error) {
		if event.Agent != string(sessionfile.ClaudeCode) {
			return nil, nil
		}
		c := load(event.Root)
		return hook.Run(ctx, hook.Options{
			Env: environmentOf(e, event), Root: event.Root, Do: &c.Hooks, Index: c.Index,
			Server: event.Server,
			Open:   func(context.Context) (ledger.API, error) { return api, nil },
		}, event.Name, event.Input)
	}
}

// environmentOf returns the environment of the process that hands in an event, as far as it was told, and of this one.
func environmentOf(e env.Env, event wire.HookEvent) env.Env {
	own := e
	own.Lookup = func(name string) string {
		if value, told := event.Variables[name]; told {
			return value
		}
		return e.Lookup(name)
	}
	own.Now = func() time.Time { return e.Now().In(time.FixedZone("", event.Offset)) }
	return own
}
