package calibrate

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

const (
	settle   = 30 * time.Second // how long measurements may wait for more: nothing is urgent here
	share    = 100              // measuring takes at most one part in so many of the time
	patience = time.Minute      // before what failed is tried again
	batch    = 500              // measurements that are handed in at once
	atOnce   = 1000             // events that one round takes in
	reading  = 64               // sessions whose place in the log is remembered
)

// Options say how to follow. Only Env has to be set.
type Options struct {
	Env env.Env
	// User opens the user ledger, which is closed after each round; nil: the ledger that is followed
	// reaches it itself.
	User func(ctx context.Context) (engine.API, error)
	// Log gets what went wrong; nil: nothing is logged.
	Log *slog.Logger
	// Wait waits for a time, or until ctx ends; nil: by the system's clock.
	Wait func(ctx context.Context, d time.Duration)
}

// Follow measures the sessions of a ledger as they grow, and has what they show learnt, while ctx lasts.
// Trouble is logged and tried again; it ends nothing. Follow returns nil when ctx ends.
func Follow(ctx context.Context, api engine.API, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	f := &follower{api: api, o: o, event: -1, logs: map[string]*log{}, asked: map[string]bool{}}
	o.Wait(ctx, settle) // a ledger that was just opened has more urgent work
	for ctx.Err() == nil {
		took, err := f.round(ctx)
		if err != nil && ctx.Err() == nil {
			o.Log.Warn("calibrate", "error", err.Error())
			f.event = -1  // from where the ledger stands
			clear(f.logs) // and what was read was not handed in
			o.Wait(ctx, patience)
			continue
		}
		o.Wait(ctx, max(settle, (share-1)*took))
	}
	return nil
}

// wait waits for a time, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// follower is the state of one Follow.
type follower struct {
	api   engine.API
	o     Options
	event int64           // up to which sessions were measured; -1: the ledger is to be asked
	logs  map[string]*log // by session; what is not remembered is read from its beginning
	asked map[string]bool // models whose estimators were asked for
}

// round waits for sessions to grow and measures them. It returns how long that took.
func (f *follower) round(ctx context.Context) (time.Duration, error) {
	if f.event < 0 {
		now, err := f.api.Estimators(ctx, engine.EstimatorsRequest{})
		if err != nil {
			return 0, err
		}
		f.event = now.Event
	}
	names, event, err := f.grown(ctx)
	if err != nil {
		return 0, err
	}
	start := f.o.Env.Now()
	states, err := f.learn(ctx, names)
	if err != nil {
		return 0, err
	}
	if _, err = f.api.KeepEstimators(ctx, engine.KeepEstimatorsRequest{Estimators: engine.Estimators{States: states, Event: event}}); err != nil {
		return 0, err
	}
	f.event = event
	return f.o.Env.Now().Sub(start), nil
}

// grown waits for sessions to grow, and returns their ids with the event up to which that is.
func (f *follower) grown(ctx context.Context) (names []string, event int64, err error) {
	r := engine.WaitEventsRequest{
		After: f.event, Kinds: []string{engine.EventEntries}, Limit: atOnce, WaitMS: limits.LongPoll.Milliseconds(),
	}
	for {
		resp, err := f.api.WaitEvents(ctx, r)
		switch {
		case err != nil:
			return nil, 0, err
		case resp.Missed:
			names, err := f.all(ctx)
			return names, resp.Next, err
		case len(resp.Events) > 0:
			grew := map[string]bool{}
			for _, e := range resp.Events {
				grew[e.Session] = true
			}
			return slices.Sorted(maps.Keys(grew)), resp.Next, nil
		}
		r.After = resp.Next
	}
}

// all returns the ids of all sessions.
func (f *follower) all(ctx context.Context) (names []string, err error) {
	for {
		page, err := f.api.Sessions(ctx, engine.SessionsRequest{Skip: len(names)})
		if err != nil {
			return nil, err
		}
		for _, s := range page.Sessions {
			names = append(names, s.ID)
		}
		if len(page.Sessions) == 0 || len(names) >= page.Total {
			return names, nil
		}
	}
}

// learn hands in what sessions show that was not handed in yet, and returns what is known then.
func (f *follower) learn(ctx context.Context, names []string) (map[string][]byte, error) {
	states := map[string][]byte{}
	user := f.api
	for _, name := range names {
		requests, err := f.requests(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, r := range requests {
			if user == f.api && f.o.User != nil {
				if user, err = f.o.User(ctx); err != nil {
					return nil, err
				}
				defer user.Close() // nothing is written by that
			}
			got, err := user.Learn(ctx, r)
			if err != nil {
				return nil, err
			}
			maps.Copy(states, got.States)
			for _, model := range r.Models {
				f.asked[model] = true
			}
		}
	}
	return states, nil
}

// requests returns what is to be handed in of a session: its new measurements, and the question for the
// estimators of models that it uses.
func (f *follower) requests(ctx context.Context, name string) ([]engine.LearnRequest, error) {
	s, err := f.api.Session(ctx, engine.SessionRequest{Name: name})
	if fault.Is(err, fault.NotFound) {
		return nil, nil // forgotten by now
	}
	if err != nil || s.HostID == "" || s.Forgotten != nil {
		return nil, err
	}
	l := f.logs[name]
	if l == nil {
		if len(f.logs) >= reading {
			clear(f.logs)
		}
		l = &log{}
		f.logs[name] = l
	}
	found, err := l.read(ctx, f.api, name)
	if err != nil {
		return nil, err
	}
	var out []engine.LearnRequest
	for part := range slices.Chunk(found, batch) {
		out = append(out, engine.LearnRequest{Host: s.Host, HostID: s.HostID, Measurements: part})
	}
	if len(out) == 0 && s.Model != "" && !f.asked[s.Model] {
		out = append(out, engine.LearnRequest{Host: s.Host, HostID: s.HostID})
	}
	if len(out) > 0 && s.Model != "" {
		out[0].Models = []string{s.Model}
	}
	return out, nil
}
