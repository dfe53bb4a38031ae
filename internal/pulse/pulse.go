// Package pulse shows whether background work makes progress.
//
// The work calls Beat before each of its steps and Rest before it waits for something to do. Others ask
// Step how long the present step has taken: one that takes far too long is stuck, in a system call for
// example, where nothing can interrupt it.
//
// The package deliberately ends and restarts nothing.
package pulse

import (
	"sync"
	"time"
)

// Pulse is that of one task. Its methods are safe for concurrent use; a nil Pulse takes everything and
// shows nothing.
type Pulse struct {
	now func() time.Time

	mu    sync.Mutex
	since time.Time // guarded by mu; when the present step or rest began
	rests bool      // guarded by mu
}

// New returns the pulse of a task that begins now.
func New(now func() time.Time) *Pulse { return &Pulse{now: now, since: now()} }

// Beat says that the work begins its next step.
func (p *Pulse) Beat() { p.note(false) }

// Rest says that the work waits for something to do, for as long as it takes.
func (p *Pulse) Rest() { p.note(true) }

func (p *Pulse) note(rests bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since, p.rests = p.now(), rests
}

// Step returns how long the present step has taken, or, at rest, how long that has lasted.
func (p *Pulse) Step() (took time.Duration, rests bool) {
	if p == nil {
		return 0, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.now().Sub(p.since), 0), p.rests
}
