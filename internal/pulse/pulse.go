// Package pulse shows whether background work makes progress.
//
// The work calls Beat before each of its steps and Rest before it waits for something to do. Others ask
// Step how long the present step has taken: one that takes far too long is stuck, in a system call for
// example, where nothing can interrupt it.
//
// The package deliberately ends and restarts nothing.
package pulse

import (
	"slices"
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
	parts []*Pulse  // guarded by mu; see Part
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

// Part returns the pulse of one of several things that the work does at once, until end is called.
func (p *Pulse) Part() (part *Pulse, end func()) {
	if p == nil {
		return nil, func() {}
	}
	part = New(p.now)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts = append(p.parts, part)
	return part, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.parts = slices.DeleteFunc(p.parts, func(o *Pulse) bool { return o == part })
	}
}

// Step returns how long the present step has taken, or, at rest, how long that has lasted: of the parts that
// are at work, the longest.
func (p *Pulse) Step() (took time.Duration, rests bool) {
	if p == nil {
		return 0, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	took, rests = max(p.now().Sub(p.since), 0), p.rests
	for _, part := range p.parts {
		if d, idle := part.Step(); !idle && (rests || d > took) {
			took, rests = d, false
		}
	}
	return took, rests
}
