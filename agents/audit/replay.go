package audit

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/report"
)

const (
	// playing is how long sessions are begun to be played, so that an audit stays something to wait for.
	playing = 4 * time.Second
	// playable is how long those that were begun may take in all; patience the same while none is through, as
	// when there is only one.
	playable = 7 * time.Second
	patience = 20 * time.Second
	// playTick is how often the time is looked at, and the progress reported.
	playTick = 100 * time.Millisecond
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

// play plays the most expensive sessions through the product's default policy for as long as there is time, and notes
// what came of it.
func (w *work) play(r *report.Report) {
	all := w.candidates()
	if len(all) == 0 || w.Play == nil {
		return
	}
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	start := w.Env.Now()
	var next, through atomic.Int64
	played := make([]*Played, len(all))
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for ctx.Err() == nil && w.Env.Now().Sub(start) < playing {
				i := int(next.Add(1)) - 1
				if i >= len(all) {
					return
				}
				if played[i] = w.played(ctx, all[i]); played[i] != nil {
					through.Add(1)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { workers.Wait(); close(over) }()
	tick := time.NewTicker(playTick)
	defer tick.Stop()
	for {
		select {
		case <-over:
			r.Replayed = replayed(all[:min(int(next.Load()), len(all))], played, len(all), r.Total)
			return
		case <-tick.C:
			spent := w.Env.Now().Sub(start)
			if spent > patience || spent > playable && through.Load() > 0 {
				cancel()
			}
			w.Playing(min(max(float64(through.Load())/float64(len(all)), spent.Seconds()/playable.Seconds()), 1))
		}
	}
}

// candidates returns the sessions that can be played, the most expensive first.
func (w *work) candidates() []candidate {
	var all []candidate
	for i, f := range w.read {
		if f.err != nil || f.measured == (report.Measured{}) {
			continue
		}
		if s, spent := f.measured.Own(); spent.Requests > 0 {
			all = append(all, candidate{w.files[i], s, spent})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.spent.Dollars, a.spent.Dollars), cmp.Compare(b.spent.Tokens(), a.spent.Tokens()))
	})
	return all
}

// played plays one session; nil: it could not be, or not in time.
func (w *work) played(ctx context.Context, c candidate) *Played {
	f, err := c.open()
	if err != nil {
		return nil
	}
	defer f.Close() // opened for reading
	s, err := agents.Read(f, c.path)
	if err != nil {
		return nil
	}
	found, err := w.Play(ctx, s)
	if err != nil || found.Recorded.Requests == 0 {
		return nil
	}
	return &found
}

// replayed sums up what was played of the candidates that were begun.
func replayed(begun []candidate, played []*Played, of int, total report.Spent) *report.Replayed {
	out := &report.Replayed{Of: of, Rows: []report.PlayRow{}}
	for i, c := range begun {
		if played[i] == nil {
			out.Late++
			continue
		}
		if played[i].Unlike {
			out.Unlike++
			continue
		}
		out.Add(report.PlayRow{
			ID: c.session.ID, Title: c.session.Title, Project: c.session.Project, Reported: c.spent,
			Model: played[i].Model, Recorded: played[i].Recorded, Ours: played[i].Ours,
		}, played[i].ReadBack)
	}
	out.Part = out.Reported.Share(total)
	return out
}
