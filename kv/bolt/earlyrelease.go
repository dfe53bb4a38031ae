package bolt

import (
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv/held"
)

const (
	// closeWait is how long Close waits for in-flight calls.
	closeWait = 1200 * time.Millisecond
	// handOver is how long an in-flight commit may take then.
	handOver = 300 * time.Millisecond
)

// errReleasedEarly is why nothing is written after Close gave up waiting for calls.
var errReleasedEarly = fault.New(fault.Unavailable, "kv.close", "the ledger was closed while calls were in flight")

// releaseEarly releases the lock although calls are still in flight. They can no longer write: the writer
// goroutine makes sure of that between two commits. Files stay open for calls that read them.
func (s *Store) releaseEarly() error {
	released := make(chan error, 1)
	free := func() {
		s.fail(errReleasedEarly)
		released <- held.Release(s.current().file)
	}
	select {
	case s.jobs <- free:
		if err := <-released; err != nil {
			return osError("kv.close", err)
		}
		return errReleasedEarly
	case <-time.After(handOver):
		return fault.New(fault.Unavailable, "kv.close",
			"a commit has hung: the ledger stays locked until this process exits")
	}
}
