package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func (a *app) gcCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "gc",
		Short: "Delete what nothing in the ledger names, and give its room back",
		Long: "Deletes the contents that no record of the ledger names and that are older than an hour: what failed\n" +
			"requests left, what was forgotten, long messages of views. Then it rewrites the records without those\n" +
			"that were deleted. Of what the ledger shows nothing goes. It runs while the ledger is in use; new\n" +
			"records wait while the old ones are rewritten. The copy that a newer version keeps of the records\n" +
			"before it changes them goes after 30 days. `ctxledger du` shows beforehand what would be freed.",
		Example: "  ctxledger gc\n  ctxledger gc --json",
		Args:    a.args(0, 0),
		RunE: a.asks(func(ctx context.Context, api ledger.API, _ []string) error {
			c, err := api.CollectGarbage(ctx, ledger.CollectGarbageRequest{})
			if err != nil {
				return err
			}
			return a.answer(c, func(w io.Writer) {
				fmt.Fprintf(w, "deleted %s that nothing names, %s on disk\n", chars.Plural(c.Blobs.Count, "blob"), chars.Size(c.Blobs.Disk))
				fmt.Fprintf(w, "records: %s, before %s\n", chars.Size(c.Records), chars.Size(c.Before))
				if c.Copies > 0 {
					fmt.Fprintf(w, "old copies of the records: %s deleted\n", chars.Size(c.Copies))
				}
			})
		}),
	}
}
