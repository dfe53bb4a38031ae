package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// eventsPage is how many events one call brings.
const eventsPage = 1000

// eventWidth bounds the description of an event, in columns.
const eventWidth = 200

func eventsCommand() command {
	var follow bool
	var after int64
	return command{
		name: "events", rank: hidden, short: "List the ledger's events, oldest first",
		long:    "Prints one event per line, with --json one JSON object per line.",
		example: "ctxledger events --after 3 --json",
		does:    keeps, json: answers(ledger.Event{}),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&follow, "follow", false, "keep printing new events, until interrupted")
			f.Int64Var(&after, "after", 0, "only events with a number above `N`")
		},
		check: func(*action, []string) error {
			if after < 0 {
				return misuse("--after takes the number of an event, not %d", after)
			}
			return nil
		},
		ask: func(ctx context.Context, a *action, _ []string) error {
			return listEvents(ctx, a, after, follow)
		},
	}
}

// listEvents prints the events after a number. With follow it waits for new ones until the user interrupts it.
func listEvents(ctx context.Context, a *action, after int64, follow bool) error {
	r := ledger.WaitEventsRequest{After: after, Limit: eventsPage}
	if follow {
		var stop context.CancelFunc
		ctx, stop = temporary.Interruptible(ctx)
		defer stop()
		r.WaitMS = limits.LongPoll.Milliseconds()
	}
	for {
		resp, err := eventPage(ctx, a, r)
		switch {
		case follow && ctx.Err() != nil:
			return nil // the normal end of following
		case err != nil, !follow && len(resp.Events) == 0:
			return err
		}
		r.After = resp.Next
	}
}

// eventPage prints the answer to one request.
func eventPage(
	ctx context.Context, a *action, r ledger.WaitEventsRequest,
) (ledger.WaitEventsResponse, error) {
	resp, err := a.ledger.WaitEvents(ctx, r)
	if err != nil {
		return resp, err
	}
	if resp.Missed && r.After > resp.Next {
		a.say("event %d does not exist yet: the newest is %d", r.After, resp.Next)
	} else if resp.Missed {
		a.say("older events are no longer kept")
	}
	for _, e := range resp.Events {
		if err := printEvent(a, e); err != nil {
			return resp, err
		}
	}
	return resp, nil
}

func printEvent(a *action, e ledger.Event) error {
	if a.json {
		return a.answerLine(e)
	}
	what := strings.Join(strings.Fields(e.ID+" "+e.Detail+" "+e.Words()), " ")
	switch e.Kind {
	case ledger.EventEntries:
		what = fmt.Sprintf("%s, newest %d", chars.Plural(e.Count, "record"), e.Entry)
	case ledger.EventChange:
		what = chars.Plural(e.Count, "file change")
	}
	_, err := fmt.Fprintf(a.masks.Lines(a.Out), "%6d  %s  %-22s  %-8s  %s\n", e.Seq, a.stamp(e.Time),
		a.line(e.Kind, columns.CellWidth), a.line(cmp.Or(e.Session, "-"), columns.CellWidth), a.line(what, eventWidth))
	return fault.Wrap(fault.Unavailable, "cli.events", err)
}
