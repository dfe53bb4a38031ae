package proxy

import (
	"context"
	"net/http"
	"sync"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

const (
	// maxWaiting bounds the exchanges that wait to be recorded.
	maxWaiting = 256
	// polite is how long a recorder that has time waits before it takes a processor: an agent that has just got its answer
	// goes on first.
	polite = 20 * time.Millisecond
	// lastWords is how long a proxy that ends waits for what is not recorded yet.
	lastWords = 5 * time.Second
	// maxTold bounds what people were told of limits.
	maxTold = 100
	// maxReason bounds what is said of a request that was not recorded, in characters.
	maxReason = 160
)

// Ledger is where exchanges are recorded.
type Ledger interface {
	ledger.MessageTaker
	ledger.ModelRequests
	ledger.SessionReader
	ledger.Hooks
	ledger.Views
	ledger.Compactions
}

// Opener returns the ledger. Errors: those of connecting to it.
type Opener func(ctx context.Context) (Ledger, error)

// recorder records exchanges, one after the other.
type recorder struct {
	Config
	life context.Context
	end  context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	waiting chan func()        // closed under mu
	closed  bool               // guarded by mu
	awake   context.CancelFunc // guarded by mu; ends a rest
	missed  int                // guarded by mu; since the newest record
	why     string             // guarded by mu
	told    []ledger.Spent     // guarded by mu

	talks     map[identity]*talk // of the one goroutine
	contexts  map[string]heard   // of the one goroutine; by provider and model
	transport http.RoundTripper
}

func newRecorder(c Config, transport http.RoundTripper) *recorder {
	r := &recorder{Config: c, done: make(chan struct{}), waiting: make(chan func(), maxWaiting),
		talks: map[identity]*talk{}, contexts: map[string]heard{}, transport: transport}
	r.life, r.end = context.WithCancel(context.Background())
	go func() {
		defer close(r.done)
		for do := range r.waiting {
			r.run(do)
		}
	}()
	return r
}

// run does something. A defect in it costs that alone.
func (r *recorder) run(do func()) {
	defer func() {
		if wrong := recover(); wrong != nil {
			r.miss("a bug in reading it")
		}
	}()
	do()
}

// rest waits a moment if nobody else waits.
func (r *recorder) rest() {
	ctx, cancel := context.WithTimeout(r.life, polite)
	defer cancel()
	r.mu.Lock()
	r.awake = cancel
	r.mu.Unlock()
	if len(r.waiting) == 0 {
		<-ctx.Done()
	}
}

// hurry ends a rest.
func (r *recorder) hurry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.awake != nil {
		r.awake()
	}
}

// queue has the one goroutine do something after all else that it was given, unless there is too much of it.
func (r *recorder) queue(do func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	select {
	case r.waiting <- do:
		return true
	default:
		return false
	}
}

// close waits for what was taken.
func (r *recorder) close() {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.waiting)
	}
	r.mu.Unlock()
	slow := time.AfterFunc(lastWords, r.end)
	<-r.done
	slow.Stop()
	r.end()
	for _, k := range r.talks {
		for range k.early {
			r.miss("a request alongside a conversation that never started")
		}
	}
	if r.missed > 0 {
		r.Say(chars.Plural(r.missed, "request") + " could not be recorded: " + r.why)
	}
}

// take takes an exchange that has ended. It never waits.
func (r *recorder) take(x *exchange) {
	x.take(r.Env.Now())
	if !r.queue(func() { r.rest(); r.record(x) }) {
		r.miss("more simultaneous requests than can be recorded")
		x.release()
	}
}

// miss counts a request that is not recorded.
func (r *recorder) miss(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missed, r.why = r.missed+1, chars.Short(chars.Line(why), maxReason)
}

// record records an exchange.
func (r *recorder) record(x *exchange) {
	defer x.release()
	if err := r.tryRecord(x); err != nil {
		r.miss(err.Error())
	}
}

func (r *recorder) tryRecord(x *exchange) error {
	e, err := r.read(x)
	if err != nil {
		return err
	}
	if p := e.prepared; p != nil {
		e.view.measured(e.answer.Usage.Prompt(), len(p.sent))
	}
	n := ledger.NoteRequestRequest{Request: e.measured()}
	n.Request.Loaded = r.loaded(e)
	if err = r.history(e, &n); x.status == http.StatusOK {
		e.kept()
	}
	k := e.talk
	switch {
	case err != nil:
		return err
	case n.Session == "" && n.HostID == "" && len(k.early) < maxEarly:
		k.early = append(k.early, n)
		return nil
	}
	session := ""
	for _, early := range append(k.early, n) {
		early.LiveSession, early.Session = n.LiveSession, n.Session
		if session, err = r.note(early); err != nil {
			return err
		}
	}
	k.early = nil
	r.learn(e, session)
	return nil
}

// note records what was measured, with how much was missed before, and returns the session.
func (r *recorder) note(n ledger.NoteRequestRequest) (session string, err error) {
	r.mu.Lock()
	missed := r.missed
	n.Request.Missed, n.Request.MissedWhy = missed, r.why
	r.mu.Unlock()
	api, err := r.Config.Ledger(r.life)
	if err != nil {
		return "", err
	}
	noted, err := api.NoteRequest(r.life, n)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.missed -= missed; r.missed == 0 {
		r.why = ""
	}
	return noted.Session, nil
}

// talk returns the threads of a session, of which the one used longest ago is dropped for a new one.
func (r *recorder) talk(who identity) *talk {
	who.agent = ""
	k := r.talks[who]
	if k == nil {
		if len(r.talks) >= maxTalks {
			dropOldest(r.talks, func(k *talk) time.Time { return k.used })
		}
		k = &talk{}
		r.talks[who] = k
	}
	k.used = r.Env.Now()
	return k
}
