package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func (a *app) restoreCommand() *cobra.Command {
	var apply bool
	cmd := &cobra.Command{
		Use:   "restore [--apply] SUMMARY",
		Short: "Print the range that a summary replaces, or undo its compaction",
		Long: "Prints the original records of the range, byte for byte as they were received, one per line.\n" +
			"With --apply the view of the session shows the range again.",
		Example: "  ctxledger restore 3f9c1b2a7d4e > range.jsonl\n  ctxledger restore --apply 3f9c1b2a7d4e",
		Args:    a.args(1, 1),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			if apply {
				return a.restoreApply(ctx, api, args[0])
			}
			return a.restorePrint(ctx, api, args[0])
		}),
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "bring the range back into the view")
	return cmd
}

// restoreAnswer is what restore without --apply answers as JSON.
type restoreAnswer struct {
	Summary  string   `json:"summary"`
	Session  string   `json:"session"`
	From     int64    `json:"from"` // the first record of the range in the session's log
	To       int64    `json:"to"`   // the last one
	TurnFrom int      `json:"turn_from"`
	TurnTo   int      `json:"turn_to"`
	Records  []stored `json:"records"`
}

// summaryReader reads summaries and the records that they replace.
type summaryReader interface {
	ledger.Compactions
	ledger.LogReader
}

func (a *app) restorePrint(ctx context.Context, api summaryReader, id string) error {
	s, err := api.Summary(ctx, ledger.SummaryRequest{ID: id})
	if err != nil {
		return err
	}
	if a.json {
		out := &collector{name: "the range of summary " + s.ID, records: []stored{}}
		if _, err := ledger.WriteOriginals(ctx, api, out, s.Session, s.From, s.To); err != nil {
			return err
		}
		return a.answerExact(restoreAnswer{s.ID, s.Session, s.From, s.To, s.TurnFrom, s.TurnTo, out.records})
	}
	w := a.raw()
	n, err := ledger.WriteOriginals(ctx, api, w, s.Session, s.From, s.To)
	if err != nil {
		return err
	}
	a.say("%s of session %s, %s", chars.Plural(n, "record"), s.Session, layout.TurnRange(s.TurnFrom, s.TurnTo))
	return w.Close()
}

// collector keeps the records that are written to it, one a Write.
type collector struct {
	name    string
	records []stored
	size    int
}

func (c *collector) Write(p []byte) (int, error) {
	if c.size += len(p); c.size > maxJSON {
		return 0, tooLongForJSON(c.name)
	}
	c.records = append(c.records, storedOf(bytes.Clone(bytes.TrimSuffix(p, []byte("\n")))))
	return len(p), nil
}

func (a *app) restoreApply(ctx context.Context, api ledger.Compactions, id string) error {
	r, err := api.Restore(ctx, ledger.RestoreRequest{ID: id})
	if err != nil {
		return err
	}
	if r.Window > 0 && r.Tokens.Upper > r.Window {
		a.say("the view may now exceed the window: %s of %s tokens", r.Tokens, chars.Commas(r.Window))
	}
	return a.answer(r, func(w io.Writer) {
		head := "the whole conversation again"
		if r.Current != "" {
			head = "summary " + r.Current + " at its head"
		}
		also := ""
		if len(r.Also) > 0 {
			also = " together with " + strings.Join(r.Also, ", ") + ", which included it"
		}
		fmt.Fprintf(w, "session %s: summary %s is undone%s; the view has %s, %s tokens\n", r.Session, id, also, head,
			r.Tokens)
	})
}

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff SUMMARY",
		Short: "List what a compaction removed from the view, largest first",
		Long: "Lists what a compaction removed from the view. `ctxledger cat HANDLE` prints one item, `ctxledger\n" +
			"restore SUMMARY` prints all of them.",
		Example: "  ctxledger diff 3f9c1b2a7d4e",
		Args:    a.args(1, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (ledger.Summary, error) {
			return api.Summary(ctx, ledger.SummaryRequest{ID: args[0]})
		}, a.printDiff),
	}
}

func (a *app) printDiff(w io.Writer, s ledger.Summary) {
	fmt.Fprintf(w, "summary %s of session %s: %s, %s\n\n",
		s.ID, s.Session, layout.TurnRange(s.TurnFrom, s.TurnTo), s.Became())
	t := a.newTable("HANDLE", ">TOKENS", "KIND", "WHAT")
	for _, c := range s.Cut {
		t.Add(c.Handle, chars.Commas(c.Tokens), c.Kind, c.Label)
	}
	t.Print(w)
	if n := s.CutTotal - len(s.Cut); n > 0 {
		fmt.Fprintf(w, "… %s more; %s prints the whole range\n", chars.Commas(n),
			a.self.In("`ctxledger restore "+s.ID+"`"))
	}
}
