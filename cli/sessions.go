package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine"
)

func (a *app) sessionsCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "sessions",
		Short:   "List the recorded sessions, newest first",
		Example: "  ctxledger sessions\n  ctxledger sessions --json --limit 5",
		Args:    a.args(0, 0),
		RunE: a.asks(func(ctx context.Context, api engine.API, _ []string) error {
			if limit < 1 {
				return misuse("--limit takes a number from 1, not %d", limit)
			}
			resp, err := api.Sessions(ctx, engine.SessionsRequest{Limit: limit})
			if err != nil {
				return err
			}
			return a.answer(resp, func(w io.Writer) { a.printSessions(w, resp) })
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "list at most `N`")
	return cmd
}

func (a *app) printSessions(w io.Writer, resp engine.SessionsResponse) {
	if resp.Total == 0 {
		fmt.Fprintln(w, "no session is recorded here yet: `ctxledger import FILE` reads one")
		return
	}
	t := a.newTable("SESSION", "AGENT", "LAST", ">TURNS", ">RECORDS", ">INPUT", ">OUTPUT", "TITLE")
	for _, s := range resp.Sessions {
		in := s.Usage.Input + s.Usage.CacheRead + s.Usage.CacheWrite
		t.add(s.ID, s.Host, a.stamp(s.Updated), commas(s.Turns), commas(s.Seq), commas(in), commas(s.Usage.Output), line(s.Title, 60))
	}
	t.print(w)
	more(w, resp.Total-len(resp.Sessions), resp.Total)
}

// more says that a list has n more lines, of total, than were printed.
func more(w io.Writer, n, total int) {
	if n > 0 {
		fmt.Fprintf(w, "… %s more: --limit %d\n", commas(n), total)
	}
}
