package hosting

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/internal/connection"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

const (
	mostOpen  = 256              // ledgers at once: each has open files and caches
	idleAfter = 5 * time.Minute  // a ledger that nobody has used for so long is closed
	sizeFor   = 10 * time.Second // how long a measured size holds
	swells    = 4                // bytes on the disk of one that is sent, at most: records, indexes, a copy
	maxNamed  = 5                // tokens that an error names
)

// Opener opens the ledger in a state directory.
type Opener func(ctx context.Context, state string) (ledger.API, error)

// workspaces are the open ledgers. It is safe for concurrent use.
type workspaces struct {
	open  Opener
	state func(name string) string
	now   func() time.Time
	most  int // ledgers at once

	mu   sync.Mutex
	all  map[string]*opened  // guarded by mu
	shut map[string]struct{} // guarded by mu; those that are being removed
	// streams go on until their callers leave, by their workspaces; what ends one, and whether it has ended. Guarded by mu.
	streams map[string]map[*stream]struct{}
}

// stream is an answer that goes on until its caller leaves.
type stream struct {
	end   context.CancelFunc
	ended chan struct{}
}

// opened is a ledger that is open, or about to be. workspaces.mu guards what changes.
type opened struct {
	conn    *connection.Lazy[ledger.API]
	users   int
	by      map[string]int // users by their tokens' ids
	used    time.Time
	bytes   int64 // on the disk, at sizedAt
	sizedAt time.Time
	written int64 // by requests that have ended: in bytes of their bodies
	counted int64 // of that, what bytes includes
	pending int64 // in the bodies of those at work
}

// grown is how many bytes of bodies the measured size may lack. The caller holds workspaces.mu.
func (o *opened) grown() int64 { return o.written - o.counted + o.pending }

// lease is a ledger until Close.
type lease struct {
	ledger.API
	of      *opened
	release func()
}

// Close implements ledger.API: the ledger stays open for others.
func (l *lease) Close() error {
	l.release()
	return nil
}

// lease returns the ledger of a workspace. Errors: those of opening it; limited when too many others are in use.
func (w *workspaces) lease(ctx context.Context, name string) (*lease, error) {
	who, _ := callerOf(ctx)
	o, closing, err := w.enter(name, who.ID)
	if closing != nil {
		_ = closing.conn.Close() // its records are safe; whoever opens it next finds what is wrong
	}
	if err != nil {
		return nil, err
	}
	leave := sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		o.users--
		if o.by[who.ID]--; o.by[who.ID] == 0 {
			delete(o.by, who.ID)
		}
		o.used = w.now()
	})
	api, err := o.conn.Get(ctx)
	if err != nil {
		leave()
		return nil, err
	}
	return &lease{api, o, leave}, nil
}

// enter counts a user of a workspace, by the id of its token. It returns the ledger that has to be closed to make room, if any.
func (w *workspaces) enter(name, by string) (o, closing *opened, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, shut := w.shut[name]; shut {
		return nil, nil, fault.New(fault.Unavailable, "hosting.open", "the workspace is being removed")
	}
	o = w.all[name]
	if o == nil {
		if len(w.all) >= w.most {
			if closing = w.take(w.now()); closing == nil {
				return nil, nil, fault.New(fault.Limited, "hosting.open", "%d workspaces are in use, the limit is %d",
					len(w.all), w.most).WithHint("try again")
			}
		}
		state := w.state(name)
		o = &opened{by: map[string]int{}, conn: connection.NewLazy(func(ctx context.Context) (ledger.API, error) {
			return w.open(ctx, state)
		})}
		w.all[name] = o
	}
	o.users++
	o.by[by]++
	return o, closing, nil
}

// take removes the ledger that was used least recently, if nobody uses it and it was last used before a time. The caller
// holds mu and closes it.
func (w *workspaces) take(before time.Time) *opened {
	oldest := ""
	for name, o := range w.all {
		if o.users == 0 && !o.used.After(before) && (oldest == "" || o.used.Before(w.all[oldest].used)) {
			oldest = name
		}
	}
	o := w.all[oldest]
	delete(w.all, oldest)
	return o
}

// listen counts a stream of a workspace, which end ends, until ended is called.
func (w *workspaces) listen(name string, end context.CancelFunc) (ended func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &stream{end, make(chan struct{})}
	if w.streams[name] == nil {
		w.streams[name] = map[*stream]struct{}{}
	}
	w.streams[name][s] = struct{}{}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.streams[name], s); len(w.streams[name]) == 0 {
			delete(w.streams, name)
		}
		close(s.ended)
	}
}

// leave ends the streams of a workspace, and takes it from those that can be used, until admit is called. Its ledger, if it is
// open, is the caller's to close. Errors: conflict while it is in use.
func (w *workspaces) leave(ctx context.Context, name string) (*opened, error) {
	const op = "hosting.remove"
	w.mu.Lock()
	_, shut := w.shut[name]
	w.shut[name] = struct{}{}
	streams := slices.Collect(maps.Keys(w.streams[name]))
	w.mu.Unlock()
	if shut {
		return nil, fault.New(fault.Conflict, op, "another request is removing the workspace")
	}
	for _, s := range streams {
		s.end()
	}
	for _, s := range streams {
		select {
		case <-s.ended:
		case <-ctx.Done():
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.all[name]
	if o != nil && o.users > 0 {
		delete(w.shut, name)
		ids := slices.Sorted(maps.Keys(o.by))
		return nil, fault.New(fault.Conflict, op, "the workspace is in use: requests in progress: %d, of the tokens %s",
			o.users, strings.Join(ids[:min(len(ids), maxNamed)], ", ")).
			WithHint("try again when they have ended, at most a minute from now")
	}
	delete(w.all, name)
	return o, nil
}

// admit undoes leave.
func (w *workspaces) admit(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.shut, name)
}

// sweep closes the ledgers that nobody has used for a while.
func (w *workspaces) sweep() {
	for {
		w.mu.Lock()
		o := w.take(w.now().Add(-idleAfter))
		w.mu.Unlock()
		if o == nil {
			return
		}
		_ = o.conn.Close() // its records are safe; whoever opens it next finds what is wrong
	}
}

// close closes all ledgers, also those in use.
func (w *workspaces) close() (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, o := range w.all {
		err = errors.Join(err, o.conn.Close())
		delete(w.all, name)
	}
	return err
}

// count returns how many ledgers are open.
func (w *workspaces) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

// reserve has a write of some bytes count until ctx ends, and after that until the size is measured again: every ten seconds, and
// before what was written may have filled the workspace. It returns the size, and whether that is less than most: else nothing is reserved.
func (w *workspaces) reserve(ctx context.Context, name string, bytes, most int64) (size int64, fits bool, err error) {
	l, err := w.lease(ctx, name)
	if err != nil {
		return 0, false, err
	}
	defer l.release()
	o := l.of
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now().Sub(o.sizedAt) >= sizeFor || o.bytes+swells*o.grown() >= most {
		ended := o.written // before the measurement: it includes them
		w.mu.Unlock()
		info, err := l.Info(ctx, ledger.InfoRequest{})
		w.mu.Lock()
		if err != nil {
			return 0, false, err
		}
		o.bytes, o.sizedAt, o.counted = info.Bytes, w.now(), ended
	}
	if size = o.bytes + o.grown(); size >= most {
		return size, false, nil
	}
	o.pending += bytes
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		o.pending -= bytes
		o.written += bytes
	})
	return size, true, nil
}
