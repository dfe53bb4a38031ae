package cli

import (
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
		Args:    a.args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			resp, err := api.Sessions(cmd.Context(), engine.SessionsRequest{Limit: limit})
			if err != nil {
				return err
			}
			return a.answer(resp, func(w io.Writer) { a.printSessions(w, resp) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many to list")
	return cmd
}

func (a *app) printSessions(w io.Writer, resp engine.SessionsResponse) {
	if resp.Total == 0 {
		fmt.Fprintln(w, "no session is recorded in this workspace yet")
		return
	}
	t := newTable("SESSION", "AGENT", "LAST", ">TURNS", ">RECORDS", ">INPUT", ">OUTPUT", "TITLE")
	for _, s := range resp.Sessions {
		in := s.Usage.Input + s.Usage.CacheRead + s.Usage.CacheWrite
		t.add(s.ID, s.Host, a.stamp(s.Updated), fmt.Sprint(s.Turns), commas(s.Seq), commas(in), commas(s.Usage.Output), line(s.Title, 60))
	}
	t.print(w)
	if more := resp.Total - len(resp.Sessions); more > 0 {
		fmt.Fprintf(w, "… %s more: --limit %d\n", commas(more), resp.Total)
	}
}
