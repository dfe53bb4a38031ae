package live

import (
	"context"
	"sync"
)

// Again has a follower look again although nothing happened in the ledger. Its zero value is ready to use.
type Again struct {
	mu   sync.Mutex
	due  bool               // guarded by mu: since the last wait began
	stop context.CancelFunc // guarded by mu; of the wait under way, nil: none
}

// Look ends the wait that is under way, else the next one.
func (a *Again) Look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.due = true
	if a.stop != nil {
		a.stop()
	}
}

// begin returns a context for a wait, which Look cancels.
func (a *Again) begin(ctx context.Context) context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	ctx, a.stop = context.WithCancel(ctx)
	if a.due {
		a.stop()
	}
	return ctx
}

// end ends a wait, and reports whether Look had it end.
func (a *Again) end() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop()
	due := a.due
	a.due, a.stop = false, nil
	return due
}
