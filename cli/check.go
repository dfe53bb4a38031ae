package cli

import (
	"context"
	"fmt"
	"io"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

func checkCommand() command {
	return command{
		name: "ledger check", short: "Check the whole ledger for damage",
		long: "Reads every record and blob of the ledger, verifies checksums, and compares the indexes with " +
			"what they index. It starts no daemon and changes nothing; a running daemon keeps working. The " +
			"exit status is 1 if the ledger is damaged: run `ctxledger ledger repair`. User memory has its " +
			"own ledger: to check it, run this command in your home directory.",
		example: "ctxledger ledger check\nctxledger ledger check --json",
		was:     map[string]string{"check": ""},
		does:    keeps, json: answers(upkeep.Checked{}), at: checkLedger,
	}
}

// closedLedger returns the options for work on this workspace's ledger while this process does not have it open.
func closedLedger(a *action) daemon.Options {
	return daemon.Options{State: a.place.State, Workspace: a.place.Root, Env: a.Env, Version: a.Version}
}

func checkLedger(ctx context.Context, a *action, _ []string) error {
	c, err := daemon.Check(ctx, closedLedger(a))
	if err != nil {
		return err
	}
	if err := a.answer(c, func(w io.Writer) { printChecked(a, w, c) }); err != nil || c.Total == 0 {
		return err
	}
	return fault.New(fault.Corrupt, "cli.check", "the ledger in %s is damaged: %s",
		a.place.State, chars.Plural(c.Total, "finding")).
		WithHint("run: ctxledger ledger repair, or restore a backup")
}

func printChecked(a *action, w io.Writer, c upkeep.Checked) {
	if c.Total > 0 {
		printFindings(a, w, c.Damage, c.Total)
		return
	}
	fmt.Fprintf(w, "%s, %s, no damage\n", chars.Plural(c.Records, "record"), chars.Plural(c.Blobs, "blob"))
}

// printFindings lists findings, and how many more there are.
func printFindings(a *action, w io.Writer, list []upkeep.Finding, total int) {
	t := a.newTable("WHERE", "PROBLEM")
	t.Wide = true
	for _, f := range list {
		t.Add(f.Where, f.What)
	}
	t.Print(w)
	if rest := total - len(list); rest > 0 {
		fmt.Fprintf(w, "and %s more\n", chars.Commas(rest))
	}
}
