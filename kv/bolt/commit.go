package bolt

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"ctxledger.dev/internal/defect"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

const (
	queueSize = 1024 // queued functions; further callers block
	maxBatch  = 512  // functions in one commit: bounds how many run again after one fails
)

// call is one function that waits for its commit.
type call struct {
	fn    func(kv.Tx) error
	state atomic.Int32  // one of the states below; left once
	err   error         // written before done is closed
	done  chan struct{} // closed when the outcome is known
}

// A call waits until the writer takes it or its context ends, whichever is first.
const (
	callWaits int32 = iota
	callTaken
	callDropped
)

// Update implements kv.Store. When ctx ends before fn was started, fn never runs and the error
// says so; once it has been started, Update returns its outcome.
func (s *Store) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	c := &call{fn: fn, done: make(chan struct{})}
	select {
	case s.queue <- c:
	case <-ctx.Done():
		return notStarted(ctx)
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		if c.state.CompareAndSwap(callWaits, callDropped) {
			return notStarted(ctx)
		}
		<-c.done
	}
	return c.err
}

func notStarted(ctx context.Context) error {
	return &fault.Error{Code: fault.Unavailable, Op: "kv.update", Message: "update was not started", Err: ctx.Err()}
}

// write is the only writer: until the queue is closed it commits all waiting calls together, and runs jobs
// between two commits.
func (s *Store) write() {
	defer close(s.wrote)
	for {
		select {
		case job := <-s.jobs:
			job()
		case first, ok := <-s.queue:
			if !ok {
				return
			}
			batch := s.collect(first)
			s.commit(batch)
			failpoint.Hit("kv.commit.after")
			for _, c := range batch {
				close(c.done)
			}
			failpoint.Hit("kv.commit.acked")
		}
	}
}

// collect takes first and all calls that are queued after it.
func (s *Store) collect(first *call) []*call {
	runtime.Gosched() // callers that the last commit released join this commit, not the next one
	var batch []*call
	for c := first; ; {
		if c.state.CompareAndSwap(callWaits, callTaken) {
			batch = append(batch, c)
		}
		if len(batch) == maxBatch {
			return batch
		}
		select {
		case next, ok := <-s.queue:
			if !ok {
				return batch
			}
			c = next
		default:
			return batch
		}
	}
}

// commit runs the calls of the batch in one transaction and sets their results. Functions that fail are
// left out; if one has written something first, the transaction is rolled back and the others run again.
func (s *Store) commit(batch []*call) {
	if s.opts.RunTwice {
		for _, c := range batch {
			_, _ = s.attempt([]*call{c}, false) // the real run decides
			c.err = nil
		}
	}
	err := s.failure()
	for left := batch; err == nil && len(left) > 0; {
		var again bool
		if again, err = s.attempt(left, true); !again {
			break
		}
		left = slices.DeleteFunc(slices.Clone(left), func(c *call) bool { return c.err != nil })
	}
	if err == nil {
		err = s.CheckLocation() // nothing is acknowledged in a file that was moved away
	}
	if err == nil {
		return
	}
	s.fail(err)
	for _, c := range batch { // the failed ones too: they may have failed because of what was rolled back
		c.err = err
	}
}

// attempt runs the calls in one transaction and commits it if keep is set. It sets the error of each call
// that failed. again says that the last of these made it roll back; err is a failure of the storage.
//
// The functions run on a separate goroutine, so that one that calls runtime.Goexit, as a failing test
// does, does not end the writer.
func (s *Store) attempt(calls []*call, keep bool) (again bool, err error) {
	btx, err := s.current().db.Begin(true)
	if err != nil {
		return false, osError("kv.update", err)
	}
	t := &tx{btx: btx, writable: true}
	ran := make(chan bool, 1)
	go func() {
		clean := false
		defer func() { ran <- clean }()
		clean = t.run(calls)
	}()
	again = !<-ran
	t.over = true
	if again || !keep || !t.dirty {
		return again, s.finish(btx.Rollback)
	}
	failpoint.Hit("kv.commit.before")
	if defect.AckBeforeSync.Seeded() {
		go func() { _ = s.finish(btx.Commit) }()
		return false, nil
	}
	return false, s.finish(btx.Commit)
}

// run runs calls until one fails after it has written, and reports whether none did.
func (t *tx) run(calls []*call) (clean bool) {
	for _, c := range calls {
		before := t.dirty
		t.dirty = false
		c.err = errExited // stays when fn ends the goroutine
		c.err = guardFn(c.fn, t)
		if c.err != nil && (t.dirty || panicked(c.err)) {
			return false
		}
		t.dirty = t.dirty || before
	}
	return true
}

// errExited is the outcome of a function that called runtime.Goexit.
var errExited = fault.New(fault.Internal, "kv.update", "the update function ended its goroutine")
