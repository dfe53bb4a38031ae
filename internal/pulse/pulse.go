// Package pulse shows whether background work makes progress.
//
// The work calls Beat before each step and Rest before it waits. Step returns how long the current step has
// taken: one that takes far too long is stuck, for example in a system call, where nothing can interrupt it.
//
// The package deliberately ends and restarts nothing.
package pulse

import (
	"slices"
	"sync"
	"time"
)

// Pulse belongs to one task. Its methods are safe for concurrent use; a nil Pulse ignores all calls.
type Pulse struct {
	now func() time.Time

	mu    sync.Mutex
	since time.Time // guarded by mu; when the current step or rest began
	rests bool      // guarded by mu
	parts []*Pulse  // guarded by mu; see Part
}

// New returns the pulse of a task that starts now.
func New(now func() time.Time) *Pulse { return &Pulse{now: now, since: now()} }

// Beat marks the start of the next step.
func (p *Pulse) Beat() { p.note(false) }

// Rest marks the start of a wait, which may take any time.
func (p *Pulse) Rest() { p.note(true) }

func (p *Pulse) note(rests bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since, p.rests = p.now(), rests
}

// Part returns the pulse of one of several concurrent parts of the work. Call end when the part ends.
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

// Step returns how long the current step or rest has taken. Of several working parts it returns the longest step.
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
