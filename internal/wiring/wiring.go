// Package wiring puts together what the programs of ctxledger share: their version, the role that
// they play when they become a ledger's daemon, and opening a ledger with that role's tasks inside
// the process.
//
// Start at Role, then Open. The package deliberately decides nothing but which parts meet: it is the
// one place outside the command line where agents' session files and the daemon know of each other.
package wiring

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"os"

	"ctxledger.dev/agents"
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
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// Version is the version of all programs.
const Version = "0.1.0"

// Stderr returns the standard error of a program, with secrets masked: hosts keep what servers write there.
func Stderr(e env.Env) io.Writer { return masked(e, os.Stderr) }

// masked returns a writer to w that masks the secrets of each write.
func masked(e env.Env, w io.Writer) io.Writer { return redact.New([]byte(e.ID(32))).Lines(w) }

// Log returns the logger of a program that has no file to log to. What repeats is written less and less: hosts
// keep what servers write, and whoever speaks to a server decides how often it has something to say.
func Log(e env.Env) *slog.Logger {
	return slog.New(logcap.New(slog.NewTextHandler(masked(e, logcap.Records(os.Stderr)), &slog.HandlerOptions{Level: slog.LevelWarn})))
}

// Role returns what a program brings along for the daemons that it becomes: they follow the
// session files of coding agents in their workspace, observe the files that sessions touch, have the user
// ledger learn from measured usage, and keep the exports of the active session up to date. They leave alone what ran in
// a tree whose configuration says follow: false. With exports: false they write no exports.
func Role(e env.Env) daemon.Role {
	return daemon.Role{Version: Version, Env: e, Background: func(root string) []daemon.Task {
		log := Log(e)
		if root == "" {
			return nil
		}
		c := settings(e, root, log)
		skip := func(tree string) bool { return !settings(e, tree, log).Follow }
		trees := func() []string { return workspace.Trees(e, root) }
		left := func(s sessions.Session) bool { return skip(cmp.Or(s.Tree, root)) }
		tasks := []daemon.Task{
			{Name: ledger.TaskFollow, Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
				return agents.Follow(ctx, api, agents.FollowOptions{Workspace: root, Skip: skip, Env: e, Log: log, Pulse: p})
			}},
			{Name: "observing files", Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
				return observe.Run(ctx, api, observe.Options{Env: e, Log: log, Trees: trees, Skip: skip, Pulse: p})
			}},
			{Name: "learning from measured usage", Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
				return calibrate.Follow(ctx, api, calibrate.Options{Env: e, Log: log, User: user(e, root, api), Models: c.Models, Skip: left, Pulse: p})
			}},
		}
		if c.Exports {
			tasks = append(tasks, daemon.Task{Name: "writing exports", Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
				return exports.Follow(ctx, api, exports.Options{Env: e, Log: log, Skip: left, Pulse: p})
			}})
		}
		return tasks
	}, Settings: func(tree string) engine.Settings {
		c := settings(e, tree, slog.New(slog.DiscardHandler)) // Background has said what is wrong
		return engine.Settings{Models: c.Models, Policy: c.Policy, Agents: c.Agents, Corrections: c.Corrections}
	}}
}

// user returns how the task of a daemon opens the user ledger. A process that has its ledgers to itself
// has that one too: nil.
func user(e env.Env, root string, api ledger.API) func(context.Context) (ledger.API, error) {
	if _, alone := api.(*owned); alone {
		return nil
	}
	return func(ctx context.Context) (ledger.API, error) {
		ws, err := workspace.Find(e, workspace.Options{Flag: root})
		if err != nil {
			return nil, err
		}
		return daemon.Open(ctx, daemon.Options{State: ws.UserState, Env: e, Version: Version})
	}
}

// settings reads the configuration of a tree, and logs what is wrong with it: what is in force then, package config
// decides.
func settings(e env.Env, root string, log *slog.Logger) config.Config {
	state := ""
	if ws, err := workspace.Find(e, workspace.Options{Flag: root}); err == nil && root != "" {
		state = ws.State
	}
	c, problems := config.Load(e, root, state)
	for _, p := range problems {
		log.Warn("configuration", "problem", p.String())
	}
	return c
}
