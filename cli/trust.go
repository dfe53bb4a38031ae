package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

func trustCommand() command {
	var list, revoke bool
	return command{
		name: "config trust", args: "[DIRECTORY]", short: "Confirm what a workspace's configuration wants to run",
		long: "A workspace's ctxledger.yaml may name a program, a server and a variable with a key for the " +
			"model that writes summaries. They are used only after a person has confirmed them with this " +
			"command, on a terminal, and only until one of them changes. Your own configuration needs no " +
			"confirmation. DIRECTORY is the workspace (default: the current one).",
		example: "ctxledger config trust\nctxledger config trust --list",
		was:     map[string]string{"trust": ""},
		does:    undoable, undo: "a revoked consent can be given again",
		json: answers(trust.Ask{}, []trust.Consent{}),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&list, "list", false, "list what was confirmed, in all workspaces")
			f.BoolVar(&revoke, "revoke", false, "revoke what was confirmed for the workspace")
		},
		check: func(a *action, args []string) error {
			switch {
			case a.workspace != "" && len(args) > 0:
				return misuse("DIRECTORY and --workspace cannot be used together")
			case list && revoke:
				return misuse("--list and --revoke cannot be used together")
			case list && len(args) > 0:
				return misuse("--list shows all workspaces: give no directory")
			}
			return nil
		},
		run: func(_ context.Context, a *action, args []string) error {
			if len(args) > 0 {
				a.workspace = args[0]
			}
			ws, err := a.find()
			switch {
			case err != nil && revoke && len(args) > 0: // it may be gone
				return revokeConsent(a, ws, a.absolute(args[0]))
			case err != nil:
				return err
			case list:
				return listConsents(a, ws)
			case revoke:
				return revokeConsent(a, ws, ws.Root)
			}
			return confirmTrust(a, ws)
		},
	}
}

// confirmTrust shows what a workspace asks for and has it confirmed.
func confirmTrust(a *action, ws workspace.Workspace) error {
	approved, err := trust.Confirm(a.Env, ws, a.In, a.Err)
	if fault.Is(err, fault.NotFound) && a.settings(ws).Summarizer == nil {
		return a.answer(trust.Ask{Root: ws.Root, Programs: []trust.Program{}}, func(w io.Writer) {
			fmt.Fprintln(w, "nothing asks for your consent here: no model that writes summaries is configured")
		})
	}
	if fault.Is(err, fault.Denied) && !a.asking() {
		return fault.New(fault.Denied, "cli.trust", "%s", err).
			WithHint("run this command on a terminal: only a person can confirm it")
	}
	if err != nil {
		return err
	}
	return a.answer(approved.Ask(), func(w io.Writer) {
		if approved.Own() {
			fmt.Fprintf(w, "your own configuration applies here and needs no confirmation: %s\n",
				columns.OneLine(approved.Ask().File))
			return
		}
		fmt.Fprintln(w, "confirmed, until it changes:")
		approved.Ask().Print(w)
	})
}

// revokeConsent revokes what was confirmed for a tree.
func revokeConsent(a *action, ws workspace.Workspace, root string) error {
	if err := trust.Revoke(ws, root); err != nil {
		return err
	}
	a.say("consent for %s is revoked", root)
	return nil
}

// listConsents shows what was confirmed.
func listConsents(a *action, ws workspace.Workspace) error {
	list, err := trust.List(ws)
	if err != nil {
		return err
	}
	return a.answer(list, func(w io.Writer) {
		if len(list) == 0 {
			fmt.Fprintln(w, "nothing was confirmed")
		}
		for _, c := range list {
			fmt.Fprintf(w, "confirmed %s:\n", a.stamp(c.Given))
			c.Ask.Print(w)
		}
	})
}
