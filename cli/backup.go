package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func backupCommand() command {
	return command{
		name: "ledger backup", args: "FILE", short: "Back up the whole ledger to an archive, while it is in use",
		long: "Writes all records and blobs, as of the start of the command, into FILE, a tar archive that " +
			"only you can read. Everything is verified; a damaged ledger is not backed up. FILE must not " +
			"exist, and must be outside the state directory. User memory has its own ledger: to back that up, " +
			"run this in your home directory. `ctxledger ledger restore-backup` restores FILE.",
		example: "ctxledger ledger backup ../ledger-2026-11-21.tar",
		was:     map[string]string{"backup": ""},
		does:    keeps, undo: "the file must not already exist", json: answers(ledger.BackedUp{}),
		ask: shows(func(ctx context.Context, a *action, args []string) (ledger.BackedUp, error) {
			return a.ledger.Backup(ctx, ledger.BackupRequest{File: a.absolute(args[0])})
		}, func(_ *action, w io.Writer, b ledger.BackedUp) {
			fmt.Fprintf(w, "%s: %s, %s of records and %s, in %.1f s\n",
				columns.OneLine(b.File), chars.Size(b.Bytes), chars.Size(b.Records), chars.Plural(b.Blobs, "blob"),
				b.Seconds)
		}),
	}
}

func restoreBackupCommand() command {
	var c consentFlags
	return command{
		name: "ledger restore-backup", args: "FILE", short: "Restore a backup as the ledger of this directory",
		long: "Unpacks FILE, written by `ctxledger ledger backup`, checks all of it, and makes it the ledger " +
			"of this directory. The current ledger is kept; `ctxledger ledger adopt` switches back to it. A " +
			"damaged backup changes nothing.\n\nThe command says what it would do and asks first. Without a " +
			"terminal it needs --yes.",
		example: "ctxledger ledger restore-backup ../ledger-2026-11-21.tar --yes",
		near:    []string{"restore", "unpack"},
		does:    undoable, undo: "it asks first; the previous ledger is kept and can be adopted again",
		json:  answers(daemon.Restored{}),
		flags: func(f *pflag.FlagSet) { c.define(f, adopting()) },
		check: func(*action, []string) error { return c.check() },
		at: func(ctx context.Context, a *action, args []string) error {
			o := daemon.Options{State: a.place.State, Workspace: rootOf(a.place), Env: a.Env, Version: a.Version}
			return restoreBackup(ctx, a, o, args[0], c)
		},
	}
}

// restoreBackup reads a backup, asks, and makes its ledger the one in use.
func restoreBackup(ctx context.Context, a *action, o daemon.Options, name string, c consentFlags) error {
	file := a.absolute(name)
	if !c.yes {
		found, err := daemon.RestoreBackup(ctx, o, file, true)
		if err != nil {
			return err
		}
		show := func(w io.Writer) {
			fmt.Fprintf(w, "would set the ledger in %s aside and use the one in %s instead:\n  ", columns.OneLine(o.State),
				columns.OneLine(name))
			printChecked(a, w, found.Checked)
		}
		if c.dry {
			return a.answer(found, show)
		}
		if err := a.consent(c, adopting(), show); err != nil {
			return err
		}
	}
	done, err := daemon.RestoreBackup(ctx, o, file, false)
	if err != nil {
		return err
	}
	return a.answer(done, func(w io.Writer) {
		fmt.Fprintf(w, "restored %s: ", columns.OneLine(name))
		printChecked(a, w, done.Checked)
		if done.Aside != "" {
			fmt.Fprintf(w, "the ledger that was here is kept in %s\n", columns.OneLine(done.Aside))
		}
	})
}
