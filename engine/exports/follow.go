package exports

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"time"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Dir is the directory of the files in a state directory.
const Dir = "exports"

// The bounds of the files of the active session.
const (
	maxFile  = 2 << 20         // bytes of one file; the oldest entries are left out
	settle   = time.Second     // the debounce before a change is written
	share    = 100             // writing takes at most 1/share of the time
	patience = 5 * time.Second // before a retry
)

// Options say how to follow. Only Env has to be set.
type Options struct {
	Env env.Env
	// Log gets errors; nil: nothing is logged.
	Log *slog.Logger
	// Wait waits for a time, or until ctx ends; nil: by the system's clock.
	Wait func(ctx context.Context, d time.Duration)
	// Skip reports whether a session is not exported; nil: none.
	Skip func(s sessions.Session) bool
	// Pulse reports progress to a watchdog; nil: there is none.
	Pulse *pulse.Pulse
}

// Follow writes changes.json and intents.json of the active session into the exports directory of the ledger's state,
// and again shortly after they change, until ctx ends. After each write it rests 99 times as long as that took, except
// when something was forgotten: then it writes at once.
//
// Errors are logged and retried; they do not end Follow. It returns nil when ctx ends.
func Follow(ctx context.Context, api ledger.API, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Wait == nil {
		o.Wait = env.Sleep
	}
	f := &follower{api: api, o: o}
	for ctx.Err() == nil {
		if err := f.round(ctx); err != nil && ctx.Err() == nil {
			o.Log.Warn("exports", "error", err.Error())
			f.wait(ctx, patience)
		}
	}
	return nil
}

// follower is the state of one Follow.
type follower struct {
	api   ledger.API
	o     Options
	state string // "" until the state directory is known
	after int64  // the newest event that the files reflect
}

// round writes the files, and waits until it is time to write them again.
func (f *follower) round(ctx context.Context) error {
	took, err := f.write(ctx)
	if err != nil {
		return err
	}
	urgent, err := f.next(ctx)
	if err != nil || urgent {
		return err
	}
	f.wait(ctx, max(settle, (share-1)*took))
	return nil
}

// wait waits for a time, or until ctx ends.
func (f *follower) wait(ctx context.Context, d time.Duration) {
	f.o.Pulse.Rest()
	f.o.Wait(ctx, d)
	f.o.Pulse.Beat()
}

// next waits for an event that concerns the files, and reports whether it is urgent.
func (f *follower) next(ctx context.Context) (urgent bool, err error) {
	r := ledger.WaitEventsRequest{
		After: f.after, WaitMS: limits.LongPoll.Milliseconds(),
		Kinds: []string{ledger.EventEntries, ledger.EventChange, ledger.EventForgotten},
	}
	for {
		f.o.Pulse.Rest()
		resp, err := f.api.WaitEvents(ctx, r)
		f.o.Pulse.Beat()
		if err != nil {
			return false, err
		}
		for _, e := range resp.Events {
			urgent = urgent || e.Kind == ledger.EventForgotten
		}
		if len(resp.Events) > 0 || resp.Missed {
			return urgent, nil
		}
		r.After = resp.Next
	}
}

// write writes both files as the ledger is now, and returns how long that took.
func (f *follower) write(ctx context.Context) (took time.Duration, err error) {
	start := f.o.Env.Now()
	now, err := f.api.WaitEvents(ctx, ledger.WaitEventsRequest{After: -1})
	if err != nil {
		return 0, err
	}
	s, err := f.api.Session(ctx, ledger.SessionRequest{Latest: true})
	switch {
	case fault.Is(err, fault.NotFound):
		f.after = now.Next // nothing is recorded yet
		return 0, nil
	case err != nil:
		return 0, err
	case f.o.Skip != nil && f.o.Skip(s):
		f.after = now.Next
		return 0, nil
	}
	state, err := f.prepare(ctx)
	if err != nil {
		return 0, err
	}
	defer state.Close() // only a handle on the directory
	keep := func() (bool, error) { return f.current(ctx, now.Next) }
	for name, fill := range map[string]func(io.Writer) error{
		ChangesFile: func(w io.Writer) error { return f.changes(ctx, w, s) },
		IntentsFile: func(w io.Writer) error { return f.intents(ctx, w, s) },
	} {
		if _, err := writeFile(ctx, f.api, f.o.Env, state, path.Join(Dir, name), fill, keep); err != nil {
			return 0, err
		}
	}
	f.after = now.Next
	return f.o.Env.Now().Sub(start), nil
}

// prepare opens the state directory, makes the exports directory in it, which forgetting removes, and deletes temporary
// files of a crash. A link in its place that leads out of the state directory is not followed.
func (f *follower) prepare(ctx context.Context) (*os.Root, error) {
	if f.state == "" {
		info, err := f.api.Info(ctx, ledger.InfoRequest{})
		if err != nil {
			return nil, err
		}
		f.state = info.State
	}
	state, err := safefs.OpenRoot(f.state)
	if err != nil {
		return nil, disk(err)
	}
	if err = state.Mkdir(Dir, 0o700); errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err = errors.Join(disk(err), removeTemps(state)); err != nil {
		return nil, errors.Join(err, state.Close())
	}
	return state, nil
}

// current reports whether nothing was forgotten since an event: what was read before may contain it.
func (f *follower) current(ctx context.Context, since int64) (bool, error) {
	resp, err := f.api.WaitEvents(ctx, ledger.WaitEventsRequest{After: since, Kinds: []string{ledger.EventForgotten}})
	return err == nil && len(resp.Events) == 0 && !resp.Missed, err
}

// changes writes changes.json of a session, as much of its end as fits.
func (f *follower) changes(ctx context.Context, w io.Writer, s sessions.Session) error {
	t := tail[Turn]{}
	err := turns(ctx, f.api, s, func(turn Turn) error {
		f.o.Pulse.Beat()
		t.add(turn)
		return nil
	})
	if err != nil {
		return err
	}
	outside, err := external(ctx, f.api, liveExternal)
	if err != nil {
		return err
	}
	return Changes{Entries: t.list, ActiveSessionID: s.ID, External: outside, Dropped: t.dropped}.Write(w)
}

// liveExternal bounds the external changes in the file of the active session.
const liveExternal = 100

// intents writes intents.json of a session, as much of its end as fits.
func (f *follower) intents(ctx context.Context, w io.Writer, s sessions.Session) error {
	t := tail[Intent]{}
	err := eachIntent(ctx, f.api, s.ID, func(in intents.Intent) error {
		f.o.Pulse.Beat()
		t.add(entryOf(in, s.Host))
		return nil
	})
	if err != nil {
		return err
	}
	return Intents{Entries: t.list, ActiveSessionID: s.ID, Dropped: t.dropped}.Write(w)
}

// tail is the end of a list that fits a file.
type tail[T any] struct {
	list    []T
	bytes   int
	dropped int
}

// margin is the space in a file for everything except its entries, in bytes.
const margin = 64 << 10

// add appends an element, and drops the oldest ones that no longer fit.
func (t *tail[T]) add(v T) {
	t.list = append(t.list, v)
	t.bytes += size(v)
	drop := 0
	for ; t.bytes > maxFile-margin; drop++ {
		t.bytes -= size(t.list[drop])
	}
	t.list, t.dropped = t.list[drop:], t.dropped+drop
}
