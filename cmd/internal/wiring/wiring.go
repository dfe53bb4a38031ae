// Package wiring puts together what the programs of ctxledger share: their version, the role that
// they play when they become a ledger's daemon, and opening a ledger with that role's tasks inside
// the process.
//
// Start at Role, then Open. The package deliberately decides nothing but which parts meet: it is the
// one place outside the command line where agents' session files and the daemon know of each other.
package wiring

import (
	"context"
	"io"
	"log/slog"
	"os"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/observe"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/redact"
)

// Version is the version of all programs.
const Version = "0.1.0"

// Stderr returns the standard error of a program, with secrets masked: hosts keep what servers write there.
func Stderr(e env.Env) io.Writer { return redact.New([]byte(e.ID(32))).Lines(os.Stderr) }

// Log returns the logger of a program that has no file to log to.
func Log(e env.Env) *slog.Logger {
	return slog.New(slog.NewTextHandler(Stderr(e), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// Role returns what a program brings along for the daemons that it becomes: they follow the
// session files of coding agents in their workspace and observe the files that sessions touch, unless
// its configuration says follow: false.
func Role(e env.Env) daemon.Role {
	return daemon.Role{Version: Version, Env: e, Background: func(root string) []daemon.Task {
		log := Log(e)
		if root == "" || !follows(root, log) {
			return nil
		}
		return []daemon.Task{
			func(ctx context.Context, api engine.API) error {
				return claudecode.Follow(ctx, api, claudecode.FollowOptions{Workspace: root, Env: e, Log: log})
			},
			func(ctx context.Context, api engine.API) error {
				return observe.Run(ctx, api, observe.Options{Env: e, Log: log})
			},
		}
	}}
}

// follows reads the setting. A configuration that cannot be read follows nothing: whoever wrote it
// wanted something else than the defaults.
func follows(root string, log *slog.Logger) bool {
	c, problems, err := config.Load(root)
	for _, p := range problems {
		log.Warn("configuration", "problem", p.String())
	}
	if err != nil {
		log.Warn("configuration", "error", err)
		return false
	}
	return c.Follow
}
