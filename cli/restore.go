package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine"
)

func (a *app) restoreCommand() *cobra.Command {
	var apply bool
	cmd := &cobra.Command{
		Use:   "restore [--apply] SUMMARY",
		Short: "Print the range that a summary stands for, or take its compaction back",
		Long: "Prints the original records of the range, byte for byte as they were received, one a line.\n" +
			"With --apply the view of the session shows the range again.",
		Example: "  ctxledger restore 3f9c1b2a7d4e > range.jsonl\n  ctxledger restore --apply 3f9c1b2a7d4e",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if apply {
				return a.restoreApply(cmd, args[0])
			}
			return a.restorePrint(cmd, args[0])
		},
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "bring the range back into the view")
	return cmd
}

func (a *app) restorePrint(cmd *cobra.Command, id string) error {
	api, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	s, err := api.Summary(cmd.Context(), engine.SummaryRequest{ID: id})
	if err != nil {
		return err
	}
	n, err := engine.WriteOriginals(cmd.Context(), api, a.raw(), s.Session, s.From, s.To)
	if err != nil {
		return err
	}
	a.say("%s of session %s, turns %d–%d", plural(n, "record"), s.Session, s.TurnFrom, s.TurnTo)
	return nil
}

func (a *app) restoreApply(cmd *cobra.Command, id string) error {
	api, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	r, err := api.Restore(cmd.Context(), engine.RestoreRequest{ID: id})
	if err != nil {
		return err
	}
	if r.Window > 0 && r.Tokens.Upper > r.Window {
		a.say("the view may now exceed the window: %s of %s tokens", r.Tokens, commas(r.Window))
	}
	return a.answer(r, func(w io.Writer) {
		head := "the whole conversation again"
		if r.Current != "" {
			head = "summary " + r.Current + " at its head"
		}
		fmt.Fprintf(w, "session %s: summary %s is taken back; the view has %s, %s tokens\n", r.Session, id, head, r.Tokens)
	})
}

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "diff SUMMARY",
		Short:   "What left the view with a compaction, dearest first",
		Example: "  ctxledger diff 3f9c1b2a7d4e",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			s, err := api.Summary(cmd.Context(), engine.SummaryRequest{ID: args[0]})
			if err != nil {
				return err
			}
			return a.answer(s, func(w io.Writer) { printDiff(w, s) })
		},
	}
}

func printDiff(w io.Writer, s engine.Summary) {
	fmt.Fprintf(w, "summary %s of session %s: turns %d–%d, %s → %s tokens\n\n", s.ID, s.Session, s.TurnFrom, s.TurnTo, s.TokensBefore, s.TokensAfter)
	t := newTable("HANDLE", ">TOKENS", "KIND", "WHAT")
	for _, c := range s.Cut {
		t.add(c.Handle, commas(c.Tokens), c.Kind, c.Label)
	}
	t.print(w)
	if more := s.CutTotal - len(s.Cut); more > 0 {
		fmt.Fprintf(w, "… %s more; `ctxledger restore %s` prints the whole range\n", commas(more), s.ID)
	}
}
