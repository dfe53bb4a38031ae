package hosting

import (
	"context"
	"errors"
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
}

// opened is a ledger that is open, or about to be.
type opened struct {
	conn    *connection.Lazy[ledger.API]
	users   int       // guarded by workspaces.mu
	used    time.Time // guarded by workspaces.mu
	bytes   int64     // guarded by workspaces.mu; on the disk
	sizedAt time.Time // guarded by workspaces.mu
}

// lease is a ledger until Close.
type lease struct {
	ledger.API
	release func()
}

// Close implements ledger.API: the ledger stays open for others.
func (l *lease) Close() error {
	l.release()
	return nil
}

// lease returns the ledger of a workspace. Errors: those of opening it; limited when too many others are in use.
func (w *workspaces) lease(ctx context.Context, name string) (*lease, error) {
	o, closing, err := w.enter(name)
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
		o.used = w.now()
	})
	api, err := o.conn.Get(ctx)
	if err != nil {
		leave()
		return nil, err
	}
	return &lease{api, leave}, nil
}

// enter counts a user of a workspace. It returns the ledger that has to be closed to make room, if any.
func (w *workspaces) enter(name string) (o, closing *opened, err error) {
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
		o = &opened{conn: connection.NewLazy(func(ctx context.Context) (ledger.API, error) {
			return w.open(ctx, state)
		})}
		w.all[name] = o
	}
	o.users++
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

// leave takes a workspace out of use, until admit: nobody gets its ledger, which the caller closes; nil: it was not open.
// Errors: conflict while somebody uses it.
func (w *workspaces) leave(name string) (*opened, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.all[name]
	if _, shut := w.shut[name]; shut || o != nil && o.users > 0 {
		return nil, fault.New(fault.Conflict, "hosting.remove", "the workspace is in use: try again")
	}
	delete(w.all, name)
	w.shut[name] = struct{}{}
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

// size returns how many bytes a workspace takes on the disk, as measured a moment ago.
func (w *workspaces) size(ctx context.Context, name string) (int64, error) {
	w.mu.Lock()
	if o := w.all[name]; o != nil && w.now().Sub(o.sizedAt) < sizeFor {
		defer w.mu.Unlock()
		return o.bytes, nil
	}
	w.mu.Unlock()
	l, err := w.lease(ctx, name)
	if err != nil {
		return 0, err
	}
	defer l.release()
	info, err := l.Info(ctx, ledger.InfoRequest{})
	if err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if o := w.all[name]; o != nil {
		o.bytes, o.sizedAt = info.Bytes, w.now()
	}
	return info.Bytes, nil
}
