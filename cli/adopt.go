package cli

import (
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/adopting"
	"ctxledger.dev/cli/erasing"
	"ctxledger.dev/workspace"
)

func (a *app) workspacesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "workspaces",
		Short: "List the ledgers of all directories, and those that no directory uses any more",
		Long: "Lists the ledgers of this machine with what they hold. First come those of directories that no longer\n" +
			"exist and that may be of this project: its repository has the commit with which theirs began, or the same\n" +
			"remote, as clones have, too. Then come the others that no directory uses. `ctxledger adopt` takes one over.",
		Example: "  ctxledger workspaces\n  ctxledger workspaces --json",
		Args:    a.args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ws, err := a.find()
			if err != nil {
				return err
			}
			list, err := adopting.List(cmd.Context(), a.Env, ws)
			if err != nil {
				return err
			}
			return a.answer(struct {
				Ledgers []workspace.Ledger `json:"ledgers"`
			}{list}, func(w io.Writer) { adopting.Print(w, a.newTable(adopting.Head()...), a.stamp, ws, list) })
		},
	}
}

func (a *app) adoptCommand() *cobra.Command {
	var c erasing.Flags
	fresh := false
	cmd := &cobra.Command{
		Use:   "adopt [LEDGER]",
		Short: "Take over the ledger of a project that was renamed or moved, or begin a new one",
		Long: "Makes LEDGER, a name that `ctxledger workspaces` lists, the ledger of this directory. The one that it has\n" +
			"is put aside as it is, and can be taken over again. Nothing is merged: `memory export` before and\n" +
			"`memory import` after take memories along; sessions of the last day are read again by themselves.\n\n" +
			"Where another repository is found than the one that the ledger here was made for, the name of that\n" +
			"ledger keeps it, and --new puts it aside and begins a new one.\n\n" +
			"The command first says what it would do, and asks. Without a terminal it needs --yes.",
		Example: "  ctxledger adopt shop-3f9c1b2a7d4e\n  ctxledger adopt --new",
		Args:    a.args(0, 1),
	}
	cmd.Flags().BoolVar(&fresh, "new", false, "put the ledger of this directory aside, and begin a new one")
	c.Define(cmd, adopting.Deed())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if fresh == (len(args) == 1) {
			return misuse("name a ledger, as `ctxledger workspaces` lists them, or give --new")
		}
		if err := agree(c); err != nil {
			return err
		}
		ws, err := a.find()
		if err != nil {
			return err
		}
		return adopting.Run(cmd.Context(), a.Env, ws, append(args, "")[0], c, a.erasing(), a.answer)
	}
	return cmd
}
