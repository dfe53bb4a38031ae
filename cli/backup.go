package cli

import (
	"context"
	"fmt"
	"io"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func backupCommand() command {
	return command{
		name: "ledger backup", args: "FILE", short: "Write the whole ledger into an archive, while it is in use",
		long: "Writes all records and blobs, as of the start of the command, into FILE, a tar archive that only you " +
			"can read. Everything is verified; a damaged ledger is not backed up. FILE must not exist, and must be " +
			"outside the state directory. User memory has its own ledger: to back it up, run this command in your " +
			"home directory. `ctxledger ledger restore-backup` brings it back.",
		example: "ctxledger ledger backup ../ledger-2026-11-21.tar",
		was:     map[string]string{"backup": ""},
		does:    keeps, undo: "its file must not exist", json: answers(ledger.BackedUp{}),
		ask: shows(func(ctx context.Context, a *action, api ledger.API, args []string) (ledger.BackedUp, error) {
			return api.Backup(ctx, ledger.BackupRequest{File: a.absolute(args[0])})
		}, func(_ *action, w io.Writer, b ledger.BackedUp) {
			fmt.Fprintf(w, "%s: %s, %s of records and %s, in %.1f s\n",
				columns.OneLine(b.File), chars.Size(b.Bytes), chars.Size(b.Records), chars.Plural(b.Blobs, "blob"),
				b.Seconds)
		}),
	}
}
