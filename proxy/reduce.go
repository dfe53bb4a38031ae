package proxy

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// How long a request waits, and how long what it did not wait for may take.
const (
	patience   = 10 * time.Millisecond // for a decision about it
	resuming   = 2 * time.Second       // the first that a proxy has of a session: for what another one has sent
	afterwards = 10 * time.Second
)

// maxViews bounds the conversations whose views are remembered.
const maxViews = 256

// reducer makes requests smaller: it sends the view of a conversation in the place of what its agent wrote. The ledger decides
// what that shows less of, and has recorded it before it is sent.
type reducer struct {
	config Config
	life   context.Context
	end    context.CancelFunc
	jobs   sync.WaitGroup
	// How long requests wait: see the constants of these names.
	patience, resuming time.Duration

	mu    sync.Mutex
	views map[identity]*view // guarded by mu
}

func newReducer(c Config) *reducer {
	r := &reducer{config: c, views: map[identity]*view{}, patience: patience, resuming: resuming}
	if c.Patience > 0 {
		r.patience, r.resuming = c.Patience, c.Patience
	}
	r.life, r.end = context.WithCancel(context.Background())
	return r
}

// close ends what is being decided.
func (r *reducer) close() {
	r.end()
	r.jobs.Wait()
}

// edit has the body of a request copied, and makes it what is sent: here alone may a body become another one.
func (s *Server) edit(r *http.Request, x *exchange) {
	x.request = &capture{ReadCloser: r.Body, store: s.store}
	r.Body = x.request
	who := identify(x.header, &request{})
	if s.reducer == nil || r.Header.Get("Content-Encoding") != "" || who.session == "" && !who.byCalls {
		return
	}
	if who.session != "" {
		s.reducer.begin(who, x)
	}
	if body := peek(r); body != nil { // else whoever reads on gets the error, or the rest
		out := s.reducer.reduce(who, x, body)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(out)), int64(len(out))
	}
}

// begin has a step decided, as early as the session of a request is known.
func (r *reducer) begin(who identity, x *exchange) {
	v := r.view(who, x.dialect.format)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.enrolled() {
		v.wake(r, x.at)
	}
}

// ended has the next step decided, after an answer: there is time until the next request.
func (r *reducer) ended(x *exchange) {
	if v := x.view; v != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.ask(r, true)
		v.list(r)
	}
}

// reduce returns what is sent in the place of a body. A defect sends it as it is.
func (r *reducer) reduce(who identity, x *exchange, body []byte) (out []byte) {
	defer func() {
		if wrong := recover(); wrong != nil {
			out, x.reduced, x.prepared = body, nil, nil
			r.config.Say("a request was sent unchanged: a bug in making it smaller")
		}
	}()
	d, ok := draftOf(body)
	if !ok || !d.readable {
		return body
	}
	d.model = cmp.Or(d.model, modelAt(x.path))
	if who.session == "" {
		who = r.called(who, d, x.dialect.format)
		r.begin(who, x)
	}
	v := r.view(who, x.dialect.format)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.read(d); !v.enrolled() {
		if x.enrolled = v.enrol(r, d); !x.enrolled {
			return body
		}
		v.wake(r, x.at)
	}
	x.view = v
	stepped := v.decide(r) || v.copied
	v.copied = false
	x.prepared = &prepared{d, v.send(d, x, stepped)}
	v.fitting(r, x)
	v.size = len(x.prepared.sent)
	return x.prepared.sent
}

// called names a conversation whose agent does not. Until the first call its beginning names it.
func (r *reducer) called(who identity, d draft, f transcript.Format) identity {
	opening, call := d.begins(f)
	before := who
	before.session, who.session = opening, opening+call
	r.mu.Lock()
	defer r.mu.Unlock()
	if v := r.views[before]; v != nil && call != "" {
		delete(r.views, before) // another one may begin in the same way
		r.views[who] = v
	}
	return who
}

// view returns the view of a conversation, of which the one used longest ago is dropped for a new one.
func (r *reducer) view(who identity, f transcript.Format) *view {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.config.Env.Now()
	v := r.views[who]
	if v == nil || v.format != f {
		if len(r.views) >= maxViews {
			dropOldest(r.views, func(v *view) time.Time { return v.used })
		}
		live := ledger.LiveSession{Host: who.host, Dir: r.config.Dir}
		if who.files {
			live.HostID = who.session
		}
		v = newView(f, live, who.agent)
		r.views[who] = v
	}
	v.used = now
	return v
}

// dropOldest drops what was used longest ago.
func dropOldest[V any](all map[identity]V, used func(V) time.Time) {
	delete(all, slices.MinFunc(slices.Collect(maps.Keys(all)),
		func(a, b identity) int { return used(all[a]).Compare(used(all[b])) }))
}

// job is something that the ledger does, which a request waits for only a little.
type job[T any] struct {
	done chan struct{} // closed when out or err is there
	out  T
	err  error
}

// begin begins a job.
func begin[T any](r *reducer, do func(ctx context.Context, api Ledger) (T, error)) *job[T] {
	j := &job[T]{done: make(chan struct{})}
	r.jobs.Go(func() {
		defer close(j.done)
		defer func() {
			if recover() != nil {
				j.err = fault.New(fault.Internal, "proxy.reduce", "a bug in deciding what is sent")
			}
		}()
		ctx, cancel := context.WithTimeout(r.life, afterwards)
		defer cancel()
		api, err := r.config.Ledger(ctx)
		if err == nil {
			j.out, err = do(ctx, api)
		}
		j.err = err
	})
	return j
}

// within waits for the job until ctx ends, and reports whether it has ended.
func (j *job[T]) within(ctx context.Context) bool {
	select {
	case <-j.done:
	case <-ctx.Done():
	}
	return j.ended()
}

// ended reports whether the job has.
func (j *job[T]) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}
