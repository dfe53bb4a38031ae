package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
)

func (a *app) repairCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "repair",
		Short: "Put a sound ledger in the place of a damaged one, with all that can be saved",
		Long: "Asks the daemon to leave and checks the ledger. If it is damaged, every record and content that can be\n" +
			"read is copied into a new ledger, and what follows from them is made anew. Where an entry of a session\n" +
			"is lost, a note says so in its place; what is lost is listed. The damaged ledger is set aside beside\n" +
			"the new one and never deleted: remove it when you miss nothing. A ledger that is sound is not changed.\n" +
			"It needs as much room on the disk as the ledger takes.",
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
		fmt.Fprintf(w, "%s, %s, no damage: nothing was changed\n", chars.Plural(r.Records, "record"), chars.Plural(r.Blobs, "blob"))
		return
	}
	if r.Lost.Total > 0 {
		a.printFindings(w, r.Lost.Items, r.Lost.Total)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "saved      %s, %s\n", chars.Plural(r.Records, "record"), chars.Plural(r.Blobs, "blob"))
	fmt.Fprintf(w, "lost       %s, listed above\n", chars.Plural(r.Lost.Total, "thing"))
	fmt.Fprintf(w, "made anew  %s of indexes and counts\n", chars.Plural(r.Mended, "record"))
	fmt.Fprintf(w, "kept       %s, the ledger as it was found\n", oneLine(r.Kept))
}
