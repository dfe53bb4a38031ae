package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/engine/daemon"
)

func installCommand() command {
	c := editCommand(editOptions{})
	c.name, c.short = "install", "Connect coding agents to ctxledger"
	c.long = "Adds the MCP server ctxmcp, and for " + strings.Join(registry.Names(hooked), " and ") + " its hooks, " +
		"to the configurations of the agents on this machine. Shows each change and asks before writing. Everything " +
		"else in the files stays as it is. AGENT is one of " + strings.Join(registry.Names(connectable), ", ") + "."
	c.example = "ctxledger install\nctxledger install claude-code --dry-run\nctxledger install codex --project"
	return c
}

func uninstallCommand() command {
	c := editCommand(editOptions{undo: true})
	c.name, c.short = "uninstall", "Disconnect coding agents from ctxledger"
	c.long = "Removes from the agents' configurations what install wrote. A file that only install has changed is " +
		"restored byte for byte; from other files, entries that start our programs are removed, and anything left " +
		"is named. The ledger stays."
	c.example = "ctxledger uninstall claude-code --yes"
	return c
}

// editCommand returns the command that connects agents, or disconnects them.
func editCommand(o editOptions) command {
	return command{
		args: "[AGENT…]", rank: everyday, does: asks, undo: "it edits files of other programs",
		json: answers(setupAnswer{}),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.project, "project", false, "edit this project's files instead of your own")
			o.define(f, deed{past: "written"})
			if !o.undo {
				f.BoolVar(&o.replace, "replace", false, "replace an entry named ctxledger that is not ours")
			}
		},
		at: func(_ context.Context, a *action, args []string) error {
			s, err := newSetup(a.Env, a.place, o.project)
			if err != nil {
				return err
			}
			return edit(a, s, args, o)
		},
	}
}

func doctorCommand() command {
	return command{
		name: "doctor", args: "[AGENT…]", rank: everyday,
		short: "Show which agents are connected, what works, and what to fix",
		long: "Checks the agents that ctxledger knows, their configurations, the programs these name, and the " +
			"daemon. It starts nothing and changes nothing.",
		example: "ctxledger doctor\nctxledger doctor claude-code --json",
		does:    keeps, json: answers(doctorReport{}),
		at: shows(diagnose, func(a *action, w io.Writer, r doctorReport) {
			width, _ := screen(a.Out)
			r.print(w, a.newTable("AGENT", "VERSION", "STATE", "TO DO"), width, a.line)
		}),
	}
}

// diagnose shows how far ctxledger works on this machine.
func diagnose(ctx context.Context, a *action, args []string) (r doctorReport, err error) {
	ws := a.place
	s, err := newSetup(a.Env, ws, false)
	if err != nil {
		return r, err
	}
	a.settings(ws) // hooks are among them
	st, err := daemon.Status(ctx, ws.State)
	r, err = s.doctor(args, daemonState{Running: st.Running, PID: st.PID, Version: st.Version,
		Polling: st.Info.Polling}, err)
	if err != nil {
		return r, err
	}
	r.Others = otherLedgers(ctx, a, ws, "status")
	if ws.Root != "" {
		listed, any := carried.Listed(ctx, carried.Options{Agents: registry.Carried(), Root: ws.Root, Env: a.Env})
		if any {
			r.Index = &listed
		}
	}
	return r, nil
}
