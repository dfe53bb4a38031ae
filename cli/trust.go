package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

func (a *app) trustCommand() *cobra.Command {
	var list, revoke bool
	cmd := &cobra.Command{
		Use:   "trust [DIRECTORY]",
		Short: "Confirm what a workspace's configuration wants to run, connect to and read",
		Long: "For the model that writes summaries, a workspace's ctxledger.yaml may name a program, a server, and a\n" +
			"variable with a key. They are used only after a person has confirmed them with this command, on a\n" +
			"terminal, and only until one of them changes. Your own configuration needs no confirmation.\n" +
			"DIRECTORY is the workspace (default: where you are).",
		Example: "  ctxledger trust\n  ctxledger trust --list\n  ctxledger trust --revoke ~/src/shop",
		Args:    a.args(0, 1),
	}
	cmd.Flags().BoolVar(&list, "list", false, "show what was confirmed, in all workspaces")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "revoke what was confirmed for the workspace")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		switch {
		case list && revoke:
			return misuse("give --list or --revoke, not both")
		case list && len(args) > 0:
			return misuse("--list shows all workspaces: give no directory")
		}
		if len(args) > 0 {
			a.workspace = args[0]
		}
		ws, err := a.find()
		switch {
		case err != nil && revoke && len(args) > 0: // it may be gone
			return a.revoke(ws, a.absolute(args[0]))
		case err != nil:
			return err
		case list:
			return a.listConsents(ws)
		case revoke:
			return a.revoke(ws, ws.Root)
		}
		return a.confirmTrust(ws)
	}
	return cmd
}

// confirmTrust shows what a workspace asks for and has it confirmed.
func (a *app) confirmTrust(ws workspace.Workspace) error {
	approved, err := trust.Confirm(a.Env, ws, a.In, a.Err)
	if fault.Is(err, fault.NotFound) && a.settings(ws).Summarizer == nil {
		return a.answer(trust.Ask{Root: ws.Root, Programs: []trust.Program{}}, func(w io.Writer) {
			fmt.Fprintln(w, "nothing asks for your consent here: no model that writes summaries is configured")
		})
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

// revoke revokes what was confirmed for a tree.
func (a *app) revoke(ws workspace.Workspace, root string) error {
	if err := trust.Revoke(ws, root); err != nil {
		return err
	}
	a.say("%s may use nothing of its own any more", root)
	return nil
}

// listConsents shows what was confirmed.
func (a *app) listConsents(ws workspace.Workspace) error {
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
