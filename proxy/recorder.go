package proxy

import (
	"context"
	"net/http"
	"sync"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
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
	waiting chan *exchange // closed under mu
	closed  bool           // guarded by mu
	missed  int            // guarded by mu; since the newest record
	why     string         // guarded by mu

	talks map[identity]*talk // of the one goroutine
}

func newRecorder(c Config) *recorder {
	r := &recorder{Config: c, done: make(chan struct{}), waiting: make(chan *exchange, maxWaiting),
		talks: map[identity]*talk{}}
	r.life, r.end = context.WithCancel(context.Background())
	go func() {
		defer close(r.done)
		for x := range r.waiting {
			if len(r.waiting) == 0 {
				env.Sleep(r.life, polite)
			}
			r.record(x)
		}
	}()
	return r
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
			r.miss("a request beside a conversation that did not begin")
		}
	}
	if r.missed > 0 {
		r.Say(chars.Plural(r.missed, "request") + " could not be recorded: " + r.why)
	}
}

// take takes an exchange that has ended. It never waits.
func (r *recorder) take(x *exchange) {
	x.take(r.Env.Now())
	r.mu.Lock()
	if !r.closed {
		select {
		case r.waiting <- x:
			r.mu.Unlock()
			return
		default:
		}
	}
	r.mu.Unlock()
	r.miss("more requests at once than are recorded")
	x.release()
}

// miss counts a request that is not recorded.
func (r *recorder) miss(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missed, r.why = r.missed+1, chars.Short(chars.Line(why), maxReason)
}

// record records an exchange. A defect in it costs the record alone.
func (r *recorder) record(x *exchange) {
	defer x.release()
	defer func() {
		if wrong := recover(); wrong != nil {
			r.miss("a defect in reading it")
		}
	}()
	if err := r.tryRecord(x); err != nil {
		r.miss(err.Error())
	}
}

func (r *recorder) tryRecord(x *exchange) error {
	e, err := r.read(x)
	if err != nil {
		return err
	}
	n := ledger.NoteRequestRequest{Request: e.measured()}
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
	for _, early := range append(k.early, n) {
		early.LiveSession, early.Session = n.LiveSession, n.Session
		if err := r.note(early); err != nil {
			return err
		}
	}
	k.early = nil
	return nil
}

// note records what was measured, with how much was missed before.
func (r *recorder) note(n ledger.NoteRequestRequest) error {
	r.mu.Lock()
	missed := r.missed
	n.Request.Missed, n.Request.MissedWhy = missed, r.why
	r.mu.Unlock()
	api, err := r.Config.Ledger(r.life)
	if err != nil {
		return err
	}
	if _, err := api.NoteRequest(r.life, n); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.missed -= missed; r.missed == 0 {
		r.why = ""
	}
	return nil
}

// talk returns the threads of a session, of which the one used longest ago is dropped for a new one.
func (r *recorder) talk(who identity) *talk {
	who.agent = ""
	k := r.talks[who]
	if k == nil {
		if len(r.talks) >= maxTalks {
			oldest := who
			for id, x := range r.talks {
				if o := r.talks[oldest]; o == nil || x.used.Before(o.used) {
					oldest = id
				}
			}
			delete(r.talks, oldest)
		}
		k = &talk{}
		r.talks[who] = k
	}
	k.used = r.Env.Now()
	return k
}
