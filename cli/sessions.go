package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

func sessionsCommand() command {
	limit := 0
	return command{
		name: "sessions", args: "[SESSION]", rank: everyday,
		short:   "List the recorded sessions, or the compactions of one",
		near:    []string{"list"},
		example: "ctxledger sessions --limit 5\nctxledger sessions ab03de2c",
		does:    keeps, json: answers(ledger.SessionsResponse{}, sessionAnswer{}),
		flags: func(f *pflag.FlagSet) { limitFlag(f, &limit, 20) }, check: checkLimit(&limit),
		ask: func(ctx context.Context, a *action, args []string) error {
			if len(args) > 0 {
				return listSummaries(ctx, a, args[0])
			}
			info, err := discovered(ctx, a)
			if err != nil {
				return err
			}
			resp, err := a.ledger.Sessions(ctx, ledger.SessionsRequest{Limit: limit})
			if err != nil {
				return err
			}
			sayOthers(ctx, a, "sessions")
			return a.answer(resp, func(w io.Writer) { printSessions(a, w, resp, info) })
		},
	}
}

// limitFlag defines the option that limits a list.
func limitFlag(f *pflag.FlagSet, limit *int, usual int) {
	f.IntVar(limit, "limit", usual, "list at most `N`")
}

// checkLimit refuses a list of nothing.
func checkLimit(limit *int) func(*action, []string) error {
	return func(*action, []string) error { return atLeast(1, *limit, "--limit") }
}

// sessionFlag defines the option that names a session.
func sessionFlag(f *pflag.FlagSet, session *string) {
	f.StringVar(session, "session", "", "only `SESSION`")
}

// sessionAnswer is what the sessions command answers for one session.
type sessionAnswer struct {
	Session sessions.Session `json:"session"`
	ledger.SummariesResponse
}

// listSummaries lists the compactions of a session.
func listSummaries(ctx context.Context, a *action, name string) error {
	s, err := a.session(ctx, name)
	if err != nil {
		return err
	}
	if err := ledger.RefuseGone(s); err != nil {
		return err
	}
	resp, err := a.ledger.Summaries(ctx, ledger.SummariesRequest{Session: s.ID})
	if err != nil {
		return err
	}
	return a.answer(sessionAnswer{s, resp}, func(w io.Writer) {
		if len(resp.Summaries) == 0 {
			by := ""
			if n := resp.HostCompacted; n > 0 {
				by = " by ctxledger; by its host " + chars.Times(n)
			}
			fmt.Fprintf(w, "session %s was never compacted%s\n", s.ID, by)
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

func printSessions(a *action, w io.Writer, resp ledger.SessionsResponse, info ledger.Info) {
	if resp.Total == 0 {
		fmt.Fprintln(w, strings.Join(a.page(w).NoSession(info, newestHere(a)), "\n  "))
		return
	}
	t := a.newTable("SESSION", "AGENT", "ITS ID", "LAST", ">TURNS", ">RECORDS", ">INPUT", ">OUTPUT", "RAN IN", "TITLE")
	for _, s := range resp.Sessions {
		in := s.Usage.Input + s.Usage.CacheRead + s.Usage.CacheWrite
		t.Add(s.ID, s.Host, chars.First(a.masks.String(s.HostID), 8), a.stamp(s.Updated), chars.Commas(s.Turns),
			chars.Commas(s.Seq), chars.Commas(in), chars.Commas(s.Usage.Output), a.line(ranIn(a, s), 40),
			a.line(s.Titled(), 60))
	}
	width, _ := screen(a.Out)
	t.Fit(width, leastTitle, "RECORDS", "ITS ID", "OUTPUT", "RAN IN", "INPUT")
	t.Print(w)
	if slices.ContainsFunc(resp.Sessions, sessions.Session.Copied) {
		a.page(w).Prose("TURNS and RECORDS of a forked or continued session include those that it copied; INPUT and OUTPUT do not")
	}
	more(w, resp.Total-len(resp.Sessions), resp.Total)
}

// ranIn returns where a session ran: a path relative to the user's tree, "." for its root, or else the absolute
// directory; "" if it is not known.
func ranIn(a *action, s sessions.Session) string {
	dir := s.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil { // as the root is
		dir = real
	}
	if rel, err := filepath.Rel(a.place.Root, dir); dir != "" && err == nil && filepath.IsLocal(rel) {
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
