package bolt

import (
	"time"

	"ctxledger.dev/internal/fault"
)

const (
	// closeWait is how long Close waits for calls under way.
	closeWait = 1200 * time.Millisecond
	// handOver is how long a commit under way may take then.
	handOver = 300 * time.Millisecond
)

// errReleasedEarly is why nothing is written after calls were left behind.
var errReleasedEarly = fault.New(fault.Unavailable, "kv.close", "the ledger was closed while calls were under way that do not end")

// desert releases the lock while calls are under way that do not end. They can no longer write: that is
// decided on the writer's goroutine, between two commits. Files stay open for calls that read them.
func (s *Store) releaseEarly() error {
	released := make(chan error, 1)
	free := func() {
		s.fail(errReleasedEarly)
		released <- unlockFile(s.current().file)
	}
	select {
	case s.jobs <- free:
		if err := <-released; err != nil {
			return osError("kv.close", err)
		}
		return errReleasedEarly
	case <-time.After(handOver):
		return fault.New(fault.Unavailable, "kv.close", "a commit under way does not end: the ledger is free when this process has ended")
	}
}
