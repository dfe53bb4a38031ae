package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// replayed is what the command answers.
type replayed struct {
	Policies []replay.Outcome `json:"policies"` // sums over the sessions
	Lost     []lost           `json:"lost"`     // sessions that ctxledger would have made dearer
	Sessions []replay.Report  `json:"sessions"`
}

// lost is a session that ctxledger would have made dearer than it was.
type lost struct {
	Session string  `json:"session"`
	Ratio   float64 `json:"ratio"` // of the costs
}

// replay compares what policies for the view would have cost. Sessions are replayed request by request under each policy,
// and tokens and costs at list prices are added up. The provider's prompt cache is simulated: the common prefix with the
// previous request is read from the cache for five minutes, or an hour if the session's host asked for that. Stubs and
// summaries are charged. So is one read_artifact call with its result for every identifier that a call uses, that was said
// before and that the view lacks. "none" is the session as recorded, with its host's own compactions and re-reads.
func (b bench) replay(ctx context.Context, files []string) error {
	out := replayed{Lost: []lost{}, Sessions: []replay.Report{}}
	failed := b.each(ctx, files, func(ctx context.Context, s *replay.Session) error {
		r, err := replay.Run(ctx, b.env, s, tokens.Builtin(), replay.Policies())
		if err == nil && len(r.Outcomes) > 0 {
			out.Sessions = append(out.Sessions, r)
		}
		return err
	})
	if failed != nil && len(out.Sessions) == 0 {
		return failed
	}
	out.sum()
	return cmp.Or(b.answer(out, out.print), failed)
}

func (r *replayed) sum() {
	r.Policies = sum(r.Sessions)
	for _, s := range r.Sessions {
		if ratio := s.Ratio(replay.Ours); ratio > 1 {
			r.Lost = append(r.Lost, lost{s.Session, ratio})
		}
	}
}

func (r *replayed) print(w io.Writer) {
	if len(r.Sessions) == 0 {
		fmt.Fprintln(w, "No session with a request to a model.")
		return
	}
	t := columns.New(columns.Cut, false, "POLICY", ">INPUT", ">FROM CACHE", ">COST", ">OF NONE", ">STABLE", ">KEPT", ">READ BACK")
	for _, o := range r.Policies {
		cost := "–"
		if o.Priced {
			cost = fmt.Sprintf("$%.2f", o.Dollars)
		}
		t.Add(o.Policy, chars.Commas(int(o.Input)), percent(float64(o.CacheRead)/float64(max(o.Input, 1)), true), cost,
			percent(o.Units/r.Policies[0].Units, r.Policies[0].Units > 0), percent(o.Stable, true),
			percent(o.Kept, true), chars.Commas(o.ReadBack))
	}
	t.Print(w)
	fmt.Fprintf(w, "\n%s. Stable: requests between recorded steps that begin with the whole previous one. "+
		"Kept: identifiers of calls that the view had.\n", chars.Plural(len(r.Sessions), "session"))
	for _, l := range r.Lost {
		fmt.Fprintf(w, "ctxledger loses: %s, %s of what it cost\n", columns.Cut(l.Session, columns.CellWidth),
			percent(l.Ratio, true))
	}
	notTasks(w)
}
