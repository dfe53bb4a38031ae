// Package wiring connects what the programs of ctxledger share: the configuration of the
// daemon that they become, and opening a ledger in the process with the daemon's tasks.
//
// Start at Role, then Open. The package deliberately only connects parts: it is the one place outside the
// command line that imports both the readers of agents' session files and the daemon.
package wiring

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"os"
	"sync"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/changes/watch"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/calibrate"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/exports"
	"ctxledger.dev/engine/observe"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/logcap"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/version"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/workspace"
)

// Stderr returns the standard error of a program, with secrets masked: hosts store what servers write there.
func Stderr(e env.Env) io.Writer { return masked(e, os.Stderr) }

// masked returns a writer to w that masks the secrets of each write.
func masked(e env.Env, w io.Writer) io.Writer { return redact.New([]byte(e.ID(32))).Lines(w) }

// Log returns the logger of a program without a log file. It limits repeated records: hosts store what servers write,
// and clients control how often a server logs.
func Log(e env.Env) *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelWarn}
	return slog.New(logcap.New(slog.NewTextHandler(masked(e, logcap.Records(os.Stderr)), o)))
}

// ServiceLog returns the logger of a program that many use at once: a line of JSON for each record, none of which is left out.
func ServiceLog(e env.Env) *slog.Logger {
	return slog.New(slog.NewJSONHandler(masked(e, logcap.Records(os.Stderr)), nil))
}

// Role returns the configuration of the daemons that a program becomes. They follow the session files of coding agents
// in their workspace, observe the files that sessions touch, update the user ledger's estimators from measured usage,
// and keep the exports of the active session current. They ignore sessions of a tree whose configuration says follow:
// false, and write no exports with exports: false.
//
// The configuration of each tree is read again when it changes, and its problems are logged.
func Role(e env.Env) daemon.Role {
	load := loader(e, Log(e))
	reads := map[sessionfile.Agent]chan agents.Asked{}
	for _, a := range registry.All() {
		reads[a.Name] = make(chan agents.Asked)
	}
	background := func(root string, log *slog.Logger) []daemon.Task {
		if root == "" {
			return nil
		}
		files := watch.NewShared(watch.Options{Log: log, Now: e.Now}) // one for the process: the system has few
		skip := func(tree string) bool { return !load(tree).Follow }
		switched := func(tree string) string { return load(cmp.Or(tree, root)).FollowOff() }
		trees := func() []string { return workspace.Trees(e, root) }
		left := func(s sessions.Session) bool { return skip(cmp.Or(s.Tree, root)) }
		return []daemon.Task{
			{Name: ledger.TaskFollow, Hosts: agents.Hosts(), Off: switched,
				Polls: func() *ledger.Polling { return polling(files) },
				Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
					return agents.Follow(ctx, api, agents.FollowOptions{Workspace: root, Skip: skip, Env: e, Log: log,
						Pulse: p, Watch: files, Reads: reads})
				}},
			{Name: "observing files", Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
				return observe.Run(ctx, api, observe.Options{Env: e, Log: log, Trees: trees, Skip: skip, Pulse: p,
					Watch: files})
			}},
			{Name: ledger.TaskMeasure,
				Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
					return calibrate.Follow(ctx, api, calibrate.Options{
						Env: e, Log: log, User: user(e, root, api), Skip: left, Pulse: p,
						Models: func() *tokens.Registry { return load(root).Models },
					})
				}},
			{Name: "writing exports", Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
				off := func(s sessions.Session) bool { return !load(root).Exports || left(s) }
				return exports.Follow(ctx, api, exports.Options{Env: e, Log: log, Skip: off, Pulse: p})
			}},
		}
	}
	settings := func(tree string) engine.Settings {
		c := load(tree)
		return engine.Settings{Models: c.Models, Policy: c.Policy, Agents: c.Agents, Given: c.Given,
			Corrections: c.Corrections, Limits: c.LimitsSet(), CompactsAt: registry.AutoCompact(e, tree),
			Window: registry.Window(e, tree), Tools: registry.OwnTools(e, tree)}
	}
	return daemon.Role{Version: version.Version, Env: e, Background: background, Settings: settings,
		Hook: answerer(e, load, reads)}
}

// polling says why files are polled; nil: they are watched.
func polling(files *watch.Shared) *ledger.Polling {
	p, polled := files.Polled()
	if !polled {
		return nil
	}
	return &ledger.Polling{Why: p.Why, Seconds: p.Every.Seconds()}
}

// loader returns how the configuration of the tree at a root is read, again when it changes. Its problems are logged.
func loader(e env.Env, log *slog.Logger) func(tree string) config.Config {
	files := config.NewLoader(e, func(_ string, problems []config.Problem) {
		for _, p := range problems {
			log.Warn("configuration", "problem", p.String())
		}
	})
	var states sync.Map // by root: where a state directory is does not change
	return func(tree string) config.Config {
		state, known := states.Load(tree)
		if !known {
			state, _ = states.LoadOrStore(tree, stateOf(e, tree))
		}
		c, _ := files.Load(tree, state.(string))
		return c
	}
}

// Past returns how a server reads the past sessions of a workspace for a person who asks, of the trees whose sessions
// are followed.
func Past(
	e env.Env, root string, log *slog.Logger,
) func(ctx context.Context, api agents.Ledger, progress func(done, total int64)) (agents.Past, error) {
	return func(ctx context.Context, api agents.Ledger, progress func(done, total int64)) (agents.Past, error) {
		load := loader(e, log)
		skip := func(tree string) bool { return !load(tree).Follow }
		return agents.ReadPast(ctx, api, agents.FollowOptions{Workspace: root, Skip: skip, Env: e, Log: log}, progress)
	}
}

// user returns how a task of a daemon opens the user ledger; nil with --in-process, where the process owns the
// user ledger too.
func user(e env.Env, root string, api ledger.API) func(context.Context) (ledger.API, error) {
	if _, alone := api.(*owned); alone {
		return nil
	}
	return func(ctx context.Context) (ledger.API, error) {
		ws, err := workspace.Find(e, workspace.Options{Flag: root})
		if err != nil {
			return nil, err
		}
		return daemon.Open(ctx, daemon.Options{State: ws.UserState, Env: e, Version: version.Version})
	}
}

// stateOf returns the state directory of a workspace's ledger, where the last valid configuration is kept; "": none.
func stateOf(e env.Env, root string) string {
	if root == "" {
		return ""
	}
	ws, err := workspace.Find(e, workspace.Options{Flag: root})
	if err != nil {
		return ""
	}
	return ws.State
}
