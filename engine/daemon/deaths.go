package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"ctxledger.dev/internal/fault"
)

const (
	// maxDeaths is how many owners may die by themselves, before they can be used or of one request,
	// until the call that waits ends. What kills them is then most likely something that stays.
	maxDeaths = 3
	// firstBackoff is how long to wait after the first such death. Each further one doubles it.
	firstBackoff = 100 * time.Millisecond
	// longestBackoff bounds that: the user ledger is waited for two seconds.
	longestBackoff = time.Second
	// maxSuspects bounds how many requests a client remembers that owners died of.
	maxSuspects = 64
)

// backoff returns how long to wait after n deaths in a row.
func backoff(n int) time.Duration {
	if n <= 0 {
		return 0
	}
	return min(firstBackoff<<min(n-1, 16), longestBackoff)
}

// crashLoop is the error of a call that ends because owners die by themselves. Later calls try again, once.
func crashLoop(state string, n int, during, cause string) error {
	return fault.New(fault.Unavailable, "daemon.crash", "%d owners of the ledger in %s died by themselves %s; the last said: %s",
		n, state, during, cause).WithHint("run: ctxledger check; %s has the details", logPath(state))
}

// starts counts the owners in a row that died by themselves before they could be used. The zero value has
// seen none.
type starts struct {
	deaths int
	next   time.Time // when the next owner may be started
	cause  string    // of the newest death
}

// died notes such a death.
func (s *starts) died(now time.Time, cause string) {
	s.deaths++
	s.cause, s.next = cause, now.Add(backoff(s.deaths))
}

// check returns the error that ends a search after a death, or nil.
func (s *starts) check(state string) error {
	if s.deaths < maxDeaths {
		return nil
	}
	return crashLoop(state, s.deaths, "while starting", s.cause)
}

// suspects are the requests under which owners died by themselves, with the number of these owners. A
// request that is answered is none any more.
type suspects struct {
	mu     sync.Mutex
	deaths map[digest]int // guarded by mu
}

// digest tells one request from others: by its method and body, the key of a mutation included.
type digest [sha256.Size]byte

func digestOf(method string, in content) (d digest) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", method)
	for _, part := range append([][]byte{in.body}, in.data...) {
		fmt.Fprintf(h, "%d\n", len(part))
		h.Write(part)
	}
	h.Sum(d[:0])
	return d
}

// any reports whether there are any suspects.
func (s *suspects) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.deaths) > 0
}

// died notes an owner that died of a request, and returns how many have.
func (s *suspects) died(d digest) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.deaths) >= maxSuspects || s.deaths == nil {
		s.deaths = make(map[digest]int)
	}
	s.deaths[d]++
	return s.deaths[d]
}

// answered clears a request.
func (s *suspects) answered(d digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.deaths, d)
}

// attempt is one request on its way through the owners that it meets.
type attempt struct {
	c      *client
	method string
	in     content // empty for a blob: all blobs count as one request
	token  string  // of the owner that was lost last
	deaths int
	failed error // what to say if the time is over before the request is sent again; nil: it is no suspect
}

// answered ends an attempt: the request kills nobody.
func (a *attempt) answered() {
	if a.deaths > 0 || a.c.suspects.any() {
		a.c.suspects.answered(digestOf(a.method, a.in))
	}
}

// lost notes that the connection to an owner ended with err before the request was answered. It returns the error
// that ends the call, or nil if the request may be sent again after pause.
//
// Only an owner counts that died by itself, or that hangs up on the request again. One that left in good
// order or was killed is replaced at once, however often.
func (a *attempt) lost(l *link, err error) error {
	if _, bye := l.lost(); bye || errors.Is(err, errUnsent) {
		return nil
	}
	cause := crashOf(a.c.o.State, l.pid)
	again := a.token == l.owner.Token
	a.token = l.owner.Token
	switch {
	case cause != "":
		cause = quotable(a.c.o.Env, cause)
	case again:
		cause = fmt.Sprintf("nothing: the daemon with pid %d hung up", l.pid)
	default:
		return nil
	}
	a.deaths = a.c.suspects.died(digestOf(a.method, a.in))
	failed := crashLoop(a.c.o.State, a.deaths, "while they answered "+a.method, cause)
	if a.deaths >= maxDeaths && a.method != waitEvents { // who only waits does no harm
		return failed
	}
	a.failed = failed
	return nil
}

// pause waits, with the next owner at hand, until a request may be sent again under which one died. Every client has
// lost that owner at the same moment and finds the next one at the same moment, too: so each waits for another time,
// and a request that did no harm is answered before the one that did comes again. Errors: what the owners died of,
// when ctx ends first.
func (a *attempt) pause(ctx context.Context) error {
	if a.failed == nil {
		return nil
	}
	select {
	case <-time.After(scattered(a.c.o.Env, 2*backoff(a.deaths))):
		return nil
	case <-ctx.Done():
		return a.failed
	case <-a.c.life.Done():
		return errClosed
	}
}
