package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the whole ledger for damage",
		Long: "Reads every record and blob of the ledger, verifies the checksums, and compares the indexes with\n" +
			"what they index. It starts no daemon and changes nothing; a running daemon continues to work. The\n" +
			"exit status is 1 if the ledger is damaged: run `ctxledger repair`. User memory has its own ledger:\n" +
			"to check it, run this command in your home directory.",
		Example: "  ctxledger check\n  ctxledger check --json",
		Args:    a.args(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.check(cmd.Context()) },
	}
}

// closed returns the options for work on this workspace's ledger while this process does not have it open.
func (a *app) closed() (daemon.Options, error) {
	ws, err := a.find()
	return daemon.Options{State: ws.State, Workspace: ws.Root, Env: a.Env, Version: a.Version}, err
}

func (a *app) check(ctx context.Context) error {
	o, err := a.closed()
	if err != nil {
		return err
	}
	c, err := daemon.Check(ctx, o)
	if err != nil {
		return err
	}
	if err := a.answer(c, func(w io.Writer) { a.printChecked(w, c) }); err != nil || c.Total == 0 {
		return err
	}
	return fault.New(fault.Corrupt, "cli.check", "the ledger in %s is damaged: %s",
		o.State, chars.Plural(c.Total, "finding")).
		WithHint("run: ctxledger repair, or restore a backup")
}

func (a *app) printChecked(w io.Writer, c upkeep.Checked) {
	if c.Total > 0 {
		a.printFindings(w, c.Damage, c.Total)
		return
	}
	fmt.Fprintf(w, "%s, %s, no damage\n", chars.Plural(c.Records, "record"), chars.Plural(c.Blobs, "blob"))
}

// printFindings lists findings, and how many more there are.
func (a *app) printFindings(w io.Writer, list []upkeep.Finding, total int) {
	t := a.newTable("WHERE", "WHAT")
	t.Wide = true
	for _, f := range list {
		t.Add(f.Where, f.What)
	}
	t.Print(w)
	if rest := total - len(list); rest > 0 {
		fmt.Fprintf(w, "and %s more\n", chars.Commas(rest))
	}
}
