package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func restoreCommand() command {
	return command{
		name: "restore", args: "SUMMARY", rank: everyday, short: "Undo a compaction",
		long: "The session's view shows the original messages again in place of the summary. To print them " +
			"without restoring, use `ctxledger artifact read SUMMARY`.",
		example: "ctxledger restore 3f9c1b2a7d4e", near: []string{"undo", "revert"},
		was:  map[string]string{"restore --apply": "restore SUMMARY"},
		does: undoable, undo: "compacting again", json: answers(ledger.RestoreResponse{}),
		ask: func(ctx context.Context, a *action, args []string) error {
			r, err := a.ledger.Restore(ctx, ledger.RestoreRequest{ID: args[0]})
			if err != nil {
				return noSummary(ctx, a, args[0], err)
			}
			if r.Window > 0 && r.Tokens.Upper > r.Window {
				a.say("the view may now exceed the window: %s of %s tokens", r.Tokens, chars.Commas(r.Window))
			}
			return a.answer(r, func(w io.Writer) {
				also := ""
				if len(r.Also) > 0 {
					also = " together with " + strings.Join(r.Also, ", ") + ", which included it"
				}
				fmt.Fprintf(w, "session %s: summary %s is undone%s; the view has %s\n", r.Session, args[0],
					also, r.View())
			})
		},
	}
}

func diffCommand() command {
	return command{
		name: "diff", args: "SUMMARY", short: "List what a compaction removed from the view, largest first",
		long: "Lists what a compaction removed from the view. `ctxledger artifact read HANDLE` prints one " +
			"item, `ctxledger artifact read SUMMARY` all of them.",
		example: "ctxledger diff 3f9c1b2a7d4e",
		does:    keeps, json: answers(ledger.Summary{}),
		ask: shows(func(ctx context.Context, a *action, args []string) (ledger.Summary, error) {
			s, err := a.ledger.Summary(ctx, ledger.SummaryRequest{ID: args[0]})
			if err != nil {
				return s, noSummary(ctx, a, args[0], err)
			}
			of, err := a.session(ctx, s.Session)
			if err == nil {
				err = ledger.RefuseGone(of)
			}
			return s, err
		}, printDiff),
	}
}

// noSummary is the error for a name that no summary has: where a session has it, the hint says what lists its summaries.
func noSummary(ctx context.Context, a *action, name string, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	s, no := ledger.FindSession(ctx, a.ledger, ledger.SessionRequest{Name: name})
	if no != nil {
		return err
	}
	if gone := ledger.RefuseGone(s); gone != nil {
		return gone
	}
	return fault.New(fault.NotFound, "cli.summary", "%.1000q is a session, not a summary", name).
		WithHint("`ctxledger sessions %s` lists its summaries", s.ID)
}

func printDiff(a *action, w io.Writer, s ledger.Summary) {
	fmt.Fprintf(w, "summary %s of session %s: %s, %s\n\n",
		s.ID, s.Session, layout.TurnRange(s.TurnFrom, s.TurnTo), s.Became())
	t := a.newTable("HANDLE", ">TOKENS", "KIND", "CONTENT")
	for _, c := range s.Cut {
		t.Add(c.Handle, s.Of(c).String(), c.Kind, c.Label)
	}
	t.Print(w)
	if n := s.CutTotal - len(s.Cut); n > 0 {
		fmt.Fprintf(w, "… %s more; %s prints the whole range\n", chars.Commas(n),
			a.self.in("`ctxledger artifact read "+s.ID+"`"))
	}
}
