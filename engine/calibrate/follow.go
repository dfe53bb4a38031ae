package calibrate

import (
	"context"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

const (
	settle   = 30 * time.Second       // how long measurements wait for more at most
	still    = 500 * time.Millisecond // how long sessions do not grow before they are measured
	first    = 50 * time.Millisecond  // ″, where none ever was: all figures are rough until then
	share    = 100                    // measuring takes at most 1/share of the time
	patience = time.Minute            // before the first retry, doubled for each further one
	longest  = time.Hour              // the longest such pause
	batch    = 64                     // measurements that are sent at once, and states that are stored at once
	atOnce   = 1000                   // events that one round takes in
	reading  = 64                     // sessions whose position in the log is remembered
	asking   = 1000                   // models that are remembered as requested
)

// Options say how to follow. Only Env has to be set.
type Options struct {
	Env env.Env
	// User opens the user ledger, which is closed after each round; nil: the followed ledger forwards to it.
	User func(ctx context.Context) (ledger.API, error)
	// Models returns which models are counted exactly, and the family of the others; nil: the built-in registry.
	Models func() *tokens.Registry
	// Skip reports whether a session is left out; nil: none is.
	Skip func(s sessions.Session) bool
	// Log gets errors; nil: nothing is logged.
	Log *slog.Logger
	// Wait waits for a time, or until ctx ends; nil: by the system's clock.
	Wait func(ctx context.Context, d time.Duration)
	// Pulse reports progress to a watchdog; nil: there is none.
	Pulse *pulse.Pulse
}

// Follow measures the sessions of a ledger as they grow and sends the measurements to the user ledger, until ctx ends.
// Errors are retried with growing pauses and logged once until they are over; they do not end Follow. A session that
// cannot be read is skipped: the ledger's check reports it. Follow returns nil when ctx ends.
func Follow(ctx context.Context, api ledger.API, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Models == nil {
		o.Models = tokens.Builtin
	}
	if o.Wait == nil {
		o.Wait = env.Sleep
	}
	f := &follower{api: api, o: o, event: -1, logs: map[string]*log{}, asked: map[string]bool{}}
	pause := settle
	for ctx.Err() == nil {
		took, err := f.round(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
			pause = settle
		case pause < patience:
			o.Log.Warn("calibrate: retrying", "error", err.Error())
			pause = patience
		default:
			pause = min(2*pause, longest)
		}
		if err != nil {
			f.restart()
		}
		f.wait(ctx, max(pause, (share-1)*took))
	}
	return nil
}

// wait waits for a time, or until ctx ends.
func (f *follower) wait(ctx context.Context, d time.Duration) {
	f.o.Pulse.Rest()
	f.o.Wait(ctx, d)
	f.o.Pulse.Beat()
}

// follower is the state of one Follow.
type follower struct {
	api   ledger.API
	user  ledger.API // what learns, opened when a round first needs it
	o     Options
	event int64           // up to which sessions were measured; -1: unknown, the ledger has it
	logs  map[string]*log // by session; one without an entry is read from its beginning
	asked map[string]bool // models whose estimators were asked for
}

// restart returns to the position stored in the ledger: measurements were not sent, or the response was lost.
func (f *follower) restart() {
	f.event = -1
	clear(f.logs)
	clear(f.asked)
}

// round waits for sessions to grow and measures them. It returns how long measuring took.
func (f *follower) round(ctx context.Context) (took time.Duration, err error) {
	if f.event < 0 {
		now, err := f.api.Estimators(ctx, ledger.EstimatorsRequest{})
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
	defer func() { took = f.o.Env.Now().Sub(start) }()
	states, err := f.learn(ctx, names)
	if err != nil {
		return 0, err
	}
	if err := f.keep(ctx, states, event); err != nil {
		return 0, err
	}
	f.event = event
	return 0, nil
}

// keep stores what was learned, and up to which event.
func (f *follower) keep(ctx context.Context, states map[string][]byte, event int64) error {
	_, err := f.api.KeepEstimators(ctx,
		ledger.KeepEstimatorsRequest{Estimators: ledger.Estimators{States: states, Event: event}})
	return err
}

// grown waits for sessions to grow, and then until they are still, so that a session that is just being read is measured
// as a whole, and at once: until then its figures are rough. It returns their ids with the newest event, in the order in which
// they grew: what is learnt depends on the order, which must not depend on how many sessions a round takes in.
func (f *follower) grown(ctx context.Context) (names []string, event int64, err error) {
	r := ledger.WaitEventsRequest{
		After: f.event, Kinds: []string{ledger.EventEntries}, Limit: atOnce, WaitMS: limits.LongPoll.Milliseconds(),
	}
	var began time.Time
	for {
		f.o.Pulse.Rest()
		resp, err := f.api.WaitEvents(ctx, r)
		f.o.Pulse.Beat()
		switch {
		case err != nil:
			return nil, 0, err
		case resp.Missed:
			names, err := f.all(ctx)
			return names, resp.Next, err
		}
		for _, e := range resp.Events {
			if !slices.Contains(names, e.Session) { // at most as many as the cap of a list of events has
				names = append(names, e.Session)
			}
		}
		now := f.o.Env.Now()
		switch {
		case len(names) > 0 && (len(resp.Events) == 0 || !began.IsZero() && now.Sub(began) > settle):
			return names, resp.Next, nil
		case len(names) > 0 && began.IsZero():
			began, r.WaitMS = now, still.Milliseconds()
			if f.event == 0 {
				r.WaitMS = first.Milliseconds()
			}
		}
		r.After = resp.Next
	}
}

// all returns the ids of all sessions.
func (f *follower) all(ctx context.Context) (names []string, err error) {
	for {
		page, err := f.api.Sessions(ctx, ledger.SessionsRequest{Skip: len(names)})
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

// learn sends the new measurements of sessions, and returns the learned states that are not stored yet.
func (f *follower) learn(ctx context.Context, names []string) (states map[string][]byte, err error) {
	defer f.rest()
	states = map[string][]byte{}
	for _, name := range names {
		if err := f.session(ctx, name, states); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// rest closes the user ledger and returns freed memory to the system, because the daemon is usually idle for a long time
// after that.
func (f *follower) rest() {
	if f.user == nil {
		return // there was little to do
	}
	if f.user != f.api {
		_ = f.user.Close() // closing writes nothing
	}
	f.user = nil
	debug.FreeOSMemory()
}

// session sends the measurements of one session, page by page, and then requests the estimator of its model.
func (f *follower) session(ctx context.Context, name string, states map[string][]byte) error {
	s, err := f.api.Session(ctx, ledger.SessionRequest{Name: name})
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Corrupt) {
		return nil // forgotten by now, or damaged
	}
	if err != nil || s.HostID == "" || s.Forgotten != nil || f.o.Skip != nil && f.o.Skip(s) {
		return err
	}
	l := f.log(name)
	for more := true; more; {
		var found []ledger.Measurement
		f.o.Pulse.Beat()
		found, more, err = l.next(ctx, f.api, name)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Corrupt) {
			return nil
		}
		if err != nil {
			return err
		}
		for part := range slices.Chunk(found, batch) {
			r := ledger.LearnRequest{Host: s.Host, HostID: s.HostID, Measurements: part}
			if err := f.hand(ctx, r, states); err != nil {
				return err
			}
		}
	}
	if s.Model == "" || f.asked[s.Model] || f.o.Models().For(s.Model).Exact() {
		return nil
	}
	if len(f.asked) >= asking {
		clear(f.asked)
	}
	f.asked[s.Model] = true
	return f.hand(ctx, ledger.LearnRequest{Host: s.Host, HostID: s.HostID, Models: []string{s.Model}}, states)
}

// log returns the reader of a session's log.
func (f *follower) log(name string) *log {
	l := f.logs[name]
	if l == nil {
		if len(f.logs) >= reading {
			clear(f.logs)
		}
		l = &log{models: f.o.Models()}
		f.logs[name] = l
	}
	return l
}

// hand sends a request to the user ledger and adds the response to states, which it stores in batches.
func (f *follower) hand(ctx context.Context, r ledger.LearnRequest, states map[string][]byte) (err error) {
	if f.user == nil {
		f.user = f.api
		if f.o.User != nil {
			if f.user, err = f.o.User(ctx); err != nil {
				f.user = nil
				return err
			}
		}
	}
	f.o.Pulse.Beat()
	got, err := f.user.Learn(ctx, r)
	if err != nil {
		return err
	}
	if len(states)+len(got.States) > batch {
		if err := f.keep(ctx, states, f.event); err != nil {
			return err
		}
		clear(states)
	}
	maps.Copy(states, got.States)
	return nil
}
