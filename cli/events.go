package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

func (a *app) eventsCommand() *cobra.Command {
	var follow bool
	var after int64
	cmd := &cobra.Command{
		Use:     "events [--follow]",
		Short:   "What happened in the ledger, oldest first",
		Example: "  ctxledger events --after 120\n  ctxledger events --follow --json",
		Args:    a.args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.events(cmd, after, follow)
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "stay and print what happens, until interrupted")
	cmd.Flags().Int64Var(&after, "after", 0, "only events with a greater number")
	return cmd
}

// events prints a line an event; with --json one JSON object a line.
func (a *app) events(cmd *cobra.Command, after int64, follow bool) error {
	ctx := cmd.Context()
	api, err := a.open(ctx)
	if err != nil {
		return err
	}
	for {
		r := engine.WaitEventsRequest{After: after, Limit: 1000}
		if follow {
			r.WaitMS = limits.LongPoll.Milliseconds() / 2 // within the deadline of a call
		}
		resp, err := api.WaitEvents(ctx, r)
		if err != nil {
			if follow && ctx.Err() != nil {
				return nil // interrupted: that is how following ends
			}
			return err
		}
		if resp.Missed {
			a.say("older events are no longer kept")
		}
		for _, e := range resp.Events {
			if err := a.printEvent(a.Out, e); err != nil {
				return err
			}
		}
		after = resp.Next
		if !follow && len(resp.Events) == 0 {
			return nil
		}
	}
}

func (a *app) printEvent(w io.Writer, e engine.Event) error {
	if a.json {
		return fault.Wrap(fault.Unavailable, "cli.events", json.NewEncoder(w).Encode(e))
	}
	what := ""
	switch e.Kind {
	case engine.EventEntries:
		what = fmt.Sprintf("%s, newest %d", plural(e.Count, "record"), e.Entry)
	case engine.EventChange:
		what = plural(e.Count, "file change")
	default:
		what = e.ID + " " + e.Detail
	}
	_, err := fmt.Fprintf(w, "%6d  %s  %-10s  %-8s  %s\n", e.Seq, a.stamp(e.Time), e.Kind, e.Session, line(what, 60))
	return fault.Wrap(fault.Unavailable, "cli.events", err)
}
