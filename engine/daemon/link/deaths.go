package link

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ctxledger.dev/internal/fault"
)

const (
	// maxDeaths is how many owners may crash, while starting or in one request, before the waiting call
	// ends. The cause is then most likely permanent.
	maxDeaths = 3
	// firstBackoff is the delay after the first crash. Each further one doubles it.
	firstBackoff = 100 * time.Millisecond
	// longestBackoff bounds the delay: a call waits two seconds for the user ledger.
	longestBackoff = time.Second
	// maxSuspects bounds how many requests that crashed an owner a client remembers.
	maxSuspects = 64
)

// backoff returns the delay after n crashes in a row.
func backoff(n int) time.Duration {
	if n <= 0 {
		return 0
	}
	return min(firstBackoff<<min(n-1, 16), longestBackoff)
}

// crashLoop is the error of a call that ends because owners keep crashing. Later calls try again, once.
func crashLoop(state string, n int, during, cause string) error {
	return fault.New(fault.Unavailable, "daemon.crash", "%d daemons of the ledger in %s crashed %s; last output: %s",
		n, state, during, cause).WithHint("run: ctxledger ledger check; %s has the details", LogPath(state))
}

// starts counts the owners in a row that crashed while starting. The zero value is ready to use.
type starts struct {
	deaths int
	next   time.Time // when the next owner may be started
	cause  string    // of the newest crash
}

// died records a crash.
func (s *starts) died(now time.Time, cause string) {
	s.deaths++
	s.cause, s.next = cause, now.Add(backoff(s.deaths))
}

// check returns the error that ends the search for an owner after too many crashes, or nil.
func (s *starts) check(state string) error {
	if s.deaths < maxDeaths {
		return nil
	}
	return crashLoop(state, s.deaths, "while starting", s.cause)
}

// suspects counts, for each request during which owners crashed, these owners. A request that is answered
// is removed.
type suspects struct {
	mu     sync.Mutex
	deaths map[digest]int // guarded by mu
}

// digest identifies a request by its method and body, which includes the key of a mutation.
type digest [sha256.Size]byte

func digestOf(method string, in Content) (d digest) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", method)
	for _, part := range append([][]byte{in.Body}, in.Data...) {
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

// died records that an owner crashed during a request, and returns how many have.
func (s *suspects) died(d digest) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.deaths) >= maxSuspects || s.deaths == nil {
		s.deaths = make(map[digest]int)
	}
	s.deaths[d]++
	return s.deaths[d]
}

// answered removes a request.
func (s *suspects) answered(d digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.deaths, d)
}

// attempt is one request, which may be sent to several owners in turn.
type attempt struct {
	c      *Client
	method string
	in     Content // empty for a blob: all blobs count as one request
	token  string  // of the owner that was lost last
	deaths int
	failed error    // the error if ctx ends before the request is sent again; nil: it is no suspect
	turn   *os.File // held while a suspect is in flight; nil: it is not
}

// answered ends an attempt: the request did not crash the owner.
func (a *attempt) answered() {
	a.end()
	if a.deaths > 0 || a.c.suspects.any() {
		a.c.suspects.answered(digestOf(a.method, a.in))
	}
}

// lost records that the connection to an owner ended with err before the request was answered. It returns
// the error that ends the call, or nil if the request may be sent again after pause.
//
// An owner counts if it crashed, or closed the connection on this request for the second time. One that
// shut down or was killed is replaced at once, however often.
func (a *attempt) lost(l *Conn, err error) error {
	a.end()
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
		cause = fmt.Sprintf("none, the daemon with pid %d closed the connection", l.pid)
	default:
		return nil
	}
	a.deaths = a.c.suspects.died(digestOf(a.method, a.in))
	failed := crashLoop(a.c.o.State, a.deaths, "while answering "+a.method, cause)
	if a.deaths >= maxDeaths && a.method != WaitEvents { // a long poll does no harm
		return failed
	}
	a.failed = failed
	return nil
}

// pause delays a suspect request after the next owner was found, until it is its turn: all clients lose an owner at the
// same moment and find the next one at the same moment. Suspects are sent again one after the other, whatever process they
// are of, so that a harmless one is answered before or after the one that crashes owners, however busy the machine. One
// that waits longer than turnWait for another goes on: that may be long, or suspended. Errors: the cause of the crashes,
// when ctx ends first.
func (a *attempt) pause(ctx context.Context) error {
	if a.failed == nil {
		return nil
	}
	patience := time.After(scattered(a.c.o.Env, turnWait))
	for wait := scattered(a.c.o.Env, backoff(a.deaths)); ; wait = scattered(a.c.o.Env, redial) {
		select {
		case <-time.After(wait):
		case <-patience:
			return nil
		case <-ctx.Done():
			return a.failed
		case <-a.c.life.Done():
			return errClosed
		}
		if lock, free := a.takeTurn(); free {
			a.turn = lock
			return nil
		}
	}
}

// takeTurn takes the lock of the suspects, and reports whether it was free. A long poll needs none.
func (a *attempt) takeTurn() (lock *os.File, free bool) {
	if a.method == WaitEvents {
		return nil, true
	}
	return lockDir(filepath.Dir(LogPath(a.c.o.State)))
}

// end lets the next suspect go on.
func (a *attempt) end() {
	if a.turn != nil {
		_ = a.turn.Close() // opened only for its lock
		a.turn = nil
	}
}
