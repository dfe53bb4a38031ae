package live

import (
	"context"
	"sync"
)

// Again has a follower look again although nothing happened in the ledger. Its zero value is ready to use. Of several waits
// at once, as when one follower still ends, the newest counts.
type Again struct {
	mu   sync.Mutex
	due  bool  // guarded by mu: since the last wait began
	wait *wait // guarded by mu: the one under way, nil: none
}

// wait is one wait of a follower.
type wait struct{ stop context.CancelFunc }

// Look ends the wait that is under way, else the next one.
func (a *Again) Look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.due = true
	if a.wait != nil {
		a.wait.stop()
	}
}

// begin returns a context for a wait, which Look cancels, and what ends the wait and reports whether Look had it end.
func (a *Again) begin(ctx context.Context) (context.Context, func() bool) {
	ctx, stop := context.WithCancel(ctx)
	own := &wait{stop}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wait = own; a.due {
		stop()
	}
	return ctx, func() bool { return a.end(own) }
}

func (a *Again) end(own *wait) bool {
	own.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wait != own {
		return false
	}
	due := a.due
	a.due, a.wait = false, nil
	return due
}
