package cli

import (
	"context"
	"fmt"
	"io"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func gcCommand() command {
	return command{
		name: "ledger gc", short: "Delete unreferenced data and reclaim space",
		long: "Deletes blobs older than an hour that no record references: leftovers of failed requests, " +
			"forgotten content, cached long messages. Then it rewrites the record file without deleted " +
			"records. Nothing that the ledger shows is deleted. The ledger may be in use; new records wait " +
			"during the rewrite. The copy of the records that an upgrade keeps is deleted after 30 days. " +
			"`ctxledger ledger du` shows how much would be freed.",
		example: "ctxledger ledger gc\nctxledger ledger gc --json",
		was:     map[string]string{"gc": ""},
		does:    keeps, undo: "only what nothing refers to and the ledger does not show anywhere", json: answers(ledger.Collected{}),
		ask: shows(func(ctx context.Context, a *action, _ []string) (ledger.Collected, error) {
			return a.ledger.CollectGarbage(ctx, ledger.CollectGarbageRequest{})
		}, func(_ *action, w io.Writer, c ledger.Collected) {
			fmt.Fprintf(w, "deleted %s, %s on disk\n",
				chars.Plural(c.Blobs.Count, "unreferenced blob"), chars.Size(c.Blobs.Disk))
			fmt.Fprintf(w, "records: %s, before %s\n", chars.Size(c.Records), chars.Size(c.Before))
			if c.Copies > 0 {
				fmt.Fprintf(w, "old copies of the records: %s deleted\n", chars.Size(c.Copies))
			}
		}),
	}
}
