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
		Short: "Delete unreferenced data and reclaim space",
		Long: "Deletes blobs that no record references and that are older than an hour: leftovers of failed requests,\n" +
			"forgotten content, long messages of views. Then it rewrites the record file without deleted records.\n" +
			"Nothing that the ledger shows is deleted. The ledger can be in use; new records wait during the\n" +
			"rewrite. The copy of the records that an upgrade keeps is deleted after 30 days. `ctxledger du` shows\n" +
			"how much would be freed.",
		Example: "  ctxledger gc\n  ctxledger gc --json",
		Args:    a.args(0, 0),
		RunE: shows(a, func(ctx context.Context, api ledger.API, _ []string) (ledger.Collected, error) {
			return api.CollectGarbage(ctx, ledger.CollectGarbageRequest{})
		}, func(w io.Writer, c ledger.Collected) {
			fmt.Fprintf(w, "deleted %s, %s on disk\n",
				chars.Plural(c.Blobs.Count, "unreferenced blob"), chars.Size(c.Blobs.Disk))
			fmt.Fprintf(w, "records: %s, before %s\n", chars.Size(c.Records), chars.Size(c.Before))
			if c.Copies > 0 {
				fmt.Fprintf(w, "old copies of the records: %s deleted\n", chars.Size(c.Copies))
			}
		}),
	}
}
