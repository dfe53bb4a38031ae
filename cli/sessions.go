package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

func (a *app) sessionsCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "sessions [SESSION]",
		Short:   "List the recorded sessions, newest first, or the compactions of one",
		Example: "  ctxledger sessions\n  ctxledger sessions --json --limit 5\n  ctxledger sessions ab03de2c",
		Args:    a.args(0, 1),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			if len(args) > 0 {
				return a.summaries(ctx, api, args[0])
			}
			if err := atLeast(1, limit, "--limit"); err != nil {
				return err
			}
			info, err := a.discovered(ctx, api)
			if err != nil {
				return err
			}
			resp, err := api.Sessions(ctx, ledger.SessionsRequest{Limit: limit})
			if err != nil {
				return err
			}
			a.sayOthers(ctx, "sessions")
			return a.answer(resp, func(w io.Writer) { a.printSessions(w, resp, info) })
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "list at most `N`")
	return cmd
}

// sessionAnswer is what the sessions command answers for one session.
type sessionAnswer struct {
	Session sessions.Session `json:"session"`
	ledger.SummariesResponse
}

// summaries lists the compactions of a session.
func (a *app) summaries(ctx context.Context, api ledger.Compactions, name string) error {
	s, err := a.session(ctx, name)
	if err != nil {
		return err
	}
	resp, err := api.Summaries(ctx, ledger.SummariesRequest{Session: s.ID})
	if err != nil {
		return err
	}
	return a.answer(sessionAnswer{s, resp}, func(w io.Writer) {
		if len(resp.Summaries) == 0 {
			fmt.Fprintf(w, "session %s was never compacted\n", s.ID)
			return
		}
		t := a.newTable("SUMMARY", "MADE", "MODE", "TURNS", ">BEFORE", ">AFTER", "STATE")
		for _, c := range resp.Summaries {
			state := "part of a later one"
			switch {
			case c.Restored != nil:
				state = "undone"
			case c.Current:
				state = "in the view"
			}
			t.Add(c.ID, a.stamp(c.Created), string(c.Mode),
				turnsOf(c.TurnFrom, c.TurnTo), c.TokensBefore.String(), c.TokensAfter.String(), state)
		}
		t.Print(w)
	})
}

// turnsOf prints the turns of a summary, "3" or "3–7".
func turnsOf(from, to int) string {
	if from == to {
		return chars.Commas(from)
	}
	return chars.Commas(from) + "–" + chars.Commas(to)
}

// leastTitle is how many columns of a terminal a title in the list has at least.
const leastTitle = 24

func (a *app) printSessions(w io.Writer, resp ledger.SessionsResponse, info ledger.Info) {
	if resp.Total == 0 {
		fmt.Fprintln(w, a.page(w).NoSession(info))
		return
	}
	t := a.newTable("SESSION", "AGENT", "ITS ID", "LAST", ">TURNS", ">RECORDS", ">INPUT", ">OUTPUT", "RAN IN", "TITLE")
	for _, s := range resp.Sessions {
		in := s.Usage.Input + s.Usage.CacheRead + s.Usage.CacheWrite
		t.Add(s.ID, s.Host, chars.First(a.masks.String(s.HostID), 8), a.stamp(s.Updated), chars.Commas(s.Turns),
			chars.Commas(s.Seq), chars.Commas(in), chars.Commas(s.Usage.Output), a.line(a.ranIn(s), 40),
			a.line(titled(s), 60))
	}
	width, _ := screen(a.Out)
	t.Fit(width, leastTitle, "RECORDS", "ITS ID", "OUTPUT", "RAN IN", "INPUT")
	t.Print(w)
	more(w, resp.Total-len(resp.Sessions), resp.Total)
}

// titled returns the title of a session, behind a mark of one that ctxledger wrote.
func titled(s sessions.Session) string {
	switch {
	case s.Unused():
		return "(unused copy of " + s.Continues + ") " + s.Heading()
	case s.Continues != "":
		return "(continues " + s.Continues + ") " + s.Heading()
	}
	return s.Heading()
}

// ranIn returns where a session ran: a path relative to the user's tree, "." for its root, or else the absolute
// directory; "" if it is not known.
func (a *app) ranIn(s sessions.Session) string {
	if rel, err := filepath.Rel(a.place.Root, s.Dir); s.Dir != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return s.Dir
}

// more says that n of a list's total lines were not printed.
func more(w io.Writer, n, total int) {
	if n > 0 {
		fmt.Fprintf(w, "… %s more: --limit %d\n", chars.Commas(n), total)
	}
}
