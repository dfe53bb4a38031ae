package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
)

func (a *app) repairCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "repair",
		Short: "Replace a damaged ledger by a new one with everything that can be recovered",
		Long: "Stops the daemon and checks the ledger. If it is damaged, all readable records and blobs are\n" +
			"copied into a new ledger, and indexes and counts are rebuilt. Lost data is listed; a note takes\n" +
			"the place of a lost session entry. The damaged ledger is renamed and kept: remove it when\n" +
			"nothing is missing. An undamaged ledger is not changed. The copy needs as much disk space as the\n" +
			"ledger.",
		Example: "  ctxledger repair",
		Args:    a.args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := a.closed()
			if err != nil {
				return err
			}
			r, err := daemon.Repair(cmd.Context(), o)
			if err != nil {
				return err
			}
			return a.answer(r, func(w io.Writer) { a.printRepaired(w, r) })
		},
	}
}

func (a *app) printRepaired(w io.Writer, r daemon.Repaired) {
	if r.Kept == "" {
		fmt.Fprintf(w, "%s, %s, no damage: nothing was changed\n",
			chars.Plural(r.Records, "record"), chars.Plural(r.Blobs, "blob"))
		return
	}
	if r.Lost.Total > 0 {
		a.printFindings(w, r.Lost.Items, r.Lost.Total)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "saved      %s, %s\n", chars.Plural(r.Records, "record"), chars.Plural(r.Blobs, "blob"))
	fmt.Fprintf(w, "lost       %s, listed above\n", chars.Plural(r.Lost.Total, "thing"))
	fmt.Fprintf(w, "rebuilt    %s of indexes and counts\n", chars.Plural(r.Mended, "record"))
	fmt.Fprintf(w, "kept       %s, the damaged ledger\n", columns.OneLine(r.Kept))
}
