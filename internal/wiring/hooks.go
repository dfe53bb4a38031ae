package wiring

import (
	"context"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/hook"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/config"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// answerer returns how a daemon answers the hooks of agents: as the configuration of the event's tree says, in the
// environment of the process that the agent started. reads hands session files to the task that follows them.
func answerer(
	e env.Env, load func(tree string) config.Config, reads map[sessionfile.Agent]chan agents.Asked,
) daemon.HookAnswerer {
	contexts := new(hook.Contexts)
	return func(ctx context.Context, api ledger.API, event link.HookEvent) (daemon.HookAnswer, error) {
		agent := registry.Of(event.Agent)
		if agent.Hooks == nil {
			return daemon.HookAnswer{}, nil
		}
		c := load(event.Root)
		o := hook.Options{
			Env: environmentOf(e, event), Root: event.Root, Do: &c.Hooks, Index: c.Index, Given: c.Given,
			Contexts: contexts,
			Server:   event.Server,
			Open:     func(context.Context) (ledger.API, error) { return api, nil },
		}
		if c.Follow && agent.Sessions.Decoder != nil {
			o.Read = func(ctx context.Context, path string) error { return read(ctx, reads[agent.Name], path) }
		}
		a, err := agent.Hooks(ctx, o, event.Name, event.Input)
		return daemon.HookAnswer(a), err
	}
}

// read has a session file read, and waits until it was.
func read(ctx context.Context, reads chan<- agents.Asked, path string) error {
	done := make(chan struct{})
	select {
	case reads <- agents.Asked{Path: path, Done: done}:
	case <-ctx.Done():
		return fault.Wrap(fault.Unavailable, "hook.read", ctx.Err())
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fault.Wrap(fault.Unavailable, "hook.read", ctx.Err())
	}
}

// environmentOf returns the environment of the process that hands in an event, as far as it was told, and of this one.
func environmentOf(e env.Env, event link.HookEvent) env.Env {
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
