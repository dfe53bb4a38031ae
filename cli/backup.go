package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the whole ledger into a tar archive, while it is in use",
		Long: "Writes all records and blobs, as of the start of the command, into FILE, a tar archive that only you\n" +
			"can read. Everything is verified; a damaged ledger is not backed up. FILE must not exist, and must be\n" +
			"outside the state directory. User memory has its own ledger: to back it up, run this command in your\n" +
			"home directory.\n\n" +
			"To restore, stop the daemon and unpack the archive into the state directory:\n\n" +
			"  ctxledger daemon stop\n" +
			"  ctxledger daemon status        # names the state directory under KEPT IN\n" +
			"  tar -xf FILE -C DIRECTORY",
		Example: "  ctxledger backup ~/ledger-2026-11-21.tar",
		Args:    a.args(1, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (ledger.BackedUp, error) {
			return api.Backup(ctx, ledger.BackupRequest{File: a.absolute(args[0])})
		}, func(w io.Writer, b ledger.BackedUp) {
			fmt.Fprintf(w, "%s: %s, %s of records and %s, in %.1f s\n",
				columns.OneLine(b.File), chars.Size(b.Bytes), chars.Size(b.Records), chars.Plural(b.Blobs, "blob"),
				b.Seconds)
		}),
	}
}
