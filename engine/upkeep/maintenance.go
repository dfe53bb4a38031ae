package upkeep

import (
	"context"
	"sync/atomic"

	"ctxledger.dev/internal/fault"
)

// maintenance lets one maintenance task run at a time: garbage collection, a backup, a migration, forgetting. Appends
// do not wait for it.
type maintenance struct {
	token chan struct{} // full while something runs
	what  atomic.Pointer[string]
}

// maintain waits until no other maintenance task runs, registers what starts now, and returns the function that ends
// it. Errors: unavailable when ctx ends first, naming the running task.
func (l *Upkeep) maintain(ctx context.Context, what string) (done func(), err error) {
	m := &l.maintenance
	select {
	case m.token <- struct{}{}:
		m.what.Store(&what)
		return func() { m.what.Store(nil); <-m.token }, nil
	case <-ctx.Done():
	}
	now := "other housekeeping" // its name is not registered yet
	if p := m.what.Load(); p != nil {
		now = *p
	}
	return nil, (&fault.Error{
		Code: fault.Unavailable, Op: "engine.maintain", Message: what + " has to wait: " + now + " is under way",
		Err: ctx.Err(),
	}).WithHint("try again when it is done")
}
