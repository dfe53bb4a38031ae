package cli

import (
	"context"
	"fmt"
	"io"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
)

func repairCommand() command {
	return command{
		name: "ledger repair", short: "Rebuild a damaged ledger from everything readable",
		long: "Stops the daemon and checks the ledger. If it is damaged, all readable records and blobs are " +
			"copied into a new ledger, and its indexes and counts are rebuilt. Lost data is listed; a note " +
			"takes the place of a lost session entry. The damaged ledger is renamed and kept: delete it once " +
			"you know that nothing is missing. An intact ledger is not changed. The copy needs as much disk " +
			"space as the ledger.",
		example: "ctxledger ledger repair",
		was:     map[string]string{"repair": ""},
		does:    keeps, undo: "the damaged ledger is renamed", json: answers(daemon.Repaired{}),
		at: shows(func(ctx context.Context, a *action, _ []string) (daemon.Repaired, error) {
			return daemon.Repair(ctx, closedLedger(a))
		}, printRepaired),
	}
}

func printRepaired(a *action, w io.Writer, r daemon.Repaired) {
	if r.Kept == "" {
		fmt.Fprintf(w, "%s, %s, no damage: nothing was changed\n",
			chars.Plural(r.Records, "record"), chars.Plural(r.Blobs, "blob"))
		return
	}
	if r.Lost.Total > 0 {
		printFindings(a, w, r.Lost.Items, r.Lost.Total)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "saved      %s, %s\n", chars.Plural(r.Records, "record"), chars.Plural(r.Blobs, "blob"))
	fmt.Fprintf(w, "lost       %s, listed above\n", chars.Plural(r.Lost.Total, "thing"))
	fmt.Fprintf(w, "rebuilt    %s of indexes and counts\n", chars.Plural(r.Mended, "record"))
	fmt.Fprintf(w, "kept       %s, the damaged ledger\n", columns.OneLine(r.Kept))
}
