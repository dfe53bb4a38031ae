package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the whole ledger into a tar archive, while it is in use",
		Long: "Writes records and blobs into FILE, a tar archive that only you can read: all that was recorded when\n" +
			"the command began. Everything is checked on the way; a damaged ledger is not backed up. FILE must not\n" +
			"exist and must lie outside of the state directory. User memory lies in a ledger of its own, which is\n" +
			"the one that this command writes when you run it in your home directory.\n\n" +
			"To restore, stop the daemon and unpack the archive into the state directory:\n\n" +
			"  ctxledger daemon stop\n" +
			"  ctxledger daemon status        # names the state directory under KEPT IN\n" +
			"  tar -xf FILE -C DIRECTORY",
		Example: "  ctxledger backup ~/ledger-2026-11-21.tar",
		Args:    a.args(1, 1),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			b, err := api.Backup(ctx, ledger.BackupRequest{File: a.absolute(args[0])})
			if err != nil {
				return err
			}
			return a.answer(b, func(w io.Writer) {
				fmt.Fprintf(w, "%s: %s, %s of records and %s, in %.1f s\n",
					oneLine(b.File), chars.Size(b.Bytes), chars.Size(b.Records), chars.Plural(b.Blobs, "blob"), b.Seconds)
			})
		}),
	}
}
