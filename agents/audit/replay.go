package audit

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ctxledger.dev/agents"
	"ctxledger.dev/report"
)

// Played is what playing one session found. Without requests it counts as not played.
type Played struct {
	Model          string
	Recorded, Ours report.Play
	ReadBack       int  // how often something that Ours had cut was read back
	Unlike         bool // the file holds far more than the agent sent
}

// candidate is a session that can be played.
type candidate struct {
	source
	session report.Session
	spent   report.Spent
}

// Replay plays the most expensive sessions, at most so many, as they were recorded and through the product's default policy, and
// notes what came of it. When ctx ends, the sessions that are through count. Done receives the share of the work that is over,
// and is called by several goroutines at once.
func (a *Audit) Replay(ctx context.Context, most int, play func(context.Context, agents.Recording) (Played, error),
	done func(share float64)) {
	all := a.candidates[:min(len(a.candidates), most)]
	done(0)
	var next, through atomic.Int64
	played := make([]Played, len(all))
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				played[i] = all[i].played(ctx, play)
				done(float64(through.Add(1)) / float64(len(all)))
			}
		})
	}
	workers.Wait()
	a.Replayed = replayed(all, played, len(a.candidates), a.Total)
}

// candidates returns the sessions that can be played, the most expensive first.
func (w *work) candidates() []candidate {
	var all []candidate
	for i, f := range w.read {
		if !f.done || f.err != nil || f.Measured == nil {
			continue
		}
		if s, spent := f.Measured.Own(); spent.Requests > 0 {
			all = append(all, candidate{w.files[i], s, spent})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.spent.Dollars, a.spent.Dollars), cmp.Compare(b.spent.Tokens(), a.spent.Tokens()))
	})
	return all
}

// played plays one session; without requests where it could not be played to its end.
func (c candidate) played(ctx context.Context, play func(context.Context, agents.Recording) (Played, error)) Played {
	f, err := c.open()
	if err != nil {
		return Played{}
	}
	defer f.Close() // opened for reading
	s, err := agents.Read(f, c.path)
	if err != nil {
		return Played{}
	}
	found, err := play(ctx, s)
	if err != nil {
		return Played{}
	}
	return found
}

// replayed sums up what was played.
func replayed(all []candidate, played []Played, of int, total report.Spent) *report.Replayed {
	out := &report.Replayed{Of: of, Rows: []report.PlayRow{}}
	for i, c := range all {
		switch p := played[i]; {
		case p.Recorded.Requests == 0:
		case p.Unlike:
			out.Unlike++
		default:
			out.Add(report.PlayRow{
				ID: c.session.ID, Title: c.session.Title, Project: c.session.Project, Reported: c.spent,
				Model: p.Model, Recorded: p.Recorded, Ours: p.Ours,
			}, p.ReadBack)
		}
	}
	out.Part = out.Reported.Share(total)
	return out
}
