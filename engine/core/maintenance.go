package core

import (
	"context"
	"sync/atomic"

	"ctxledger.dev/internal/fault"
)

// maintenance lets one piece of housekeeping run at a time: collecting garbage, a backup, rewriting
// the records, forgetting. Appends are not held up by it.
type maintenance struct {
	token chan struct{} // full while something runs
	what  atomic.Pointer[string]
}

// Maintain waits for its turn, names what is done from now on, and returns what ends it. Errors:
// unavailable, naming what is under way, when ctx ends first.
func (l *Ledger) Maintain(ctx context.Context, what string) (done func(), err error) {
	m := &l.maintenance
	select {
	case m.token <- struct{}{}:
		m.what.Store(&what)
		return func() { m.what.Store(nil); <-m.token }, nil
	case <-ctx.Done():
	}
	now := "other housekeeping" // of which the name is just not known
	if p := m.what.Load(); p != nil {
		now = *p
	}
	return nil, (&fault.Error{
		Code: fault.Unavailable, Op: "engine.maintain", Message: what + " has to wait: " + now + " is under way",
		Err: ctx.Err(),
	}).WithHint("try again when it is done")
}
