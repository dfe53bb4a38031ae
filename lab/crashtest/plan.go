package crashtest

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"ctxledger.dev/internal/failpoint"
)

// plan decides where owners die: every other one at a failpoint, all points in turn.
type plan struct {
	mu   sync.Mutex
	left int                     // guarded by mu; kills to come
	next map[failpoint.Phase]int // guarded by mu; how many points of a phase had their turn
}

// death is how an owner ends.
type death struct {
	at    string        // the failpoint; "": none
	leave bool          // it is asked to leave, on the way it meets the failpoint
	after time.Duration // without a failpoint: how long it lives on once it has acknowledged enough
}

// maxAfter bounds how long an owner that dies at no failpoint lives on after it has acknowledged enough.
const maxAfter = 8 * time.Millisecond

// take counts one kill, and reports whether it was still to come.
func (p *plan) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left--
	return p.left >= 0
}

// atWork decides how an owner dies that has done some work.
func (p *plan) atWork(kill int, r *rand.Rand) death {
	if kill%2 == 0 {
		return death{after: time.Duration(r.Int64N(int64(maxAfter)))}
	}
	point := p.turn(failpoint.Work, failpoint.Leave)
	return death{at: point.Name, leave: point.During == failpoint.Leave}
}

// atStart decides whether an owner dies that is just starting, before the n-th ledger's owner of a
// kill comes to work, and at which failpoint; "" when it does not.
func (p *plan) atStart(n, kill int) string {
	switch {
	case kill == 0 && n%4 == 0:
		return p.turn(failpoint.Create).Name
	case kill == killsPerLedger/2 && n%2 == 1:
		return p.turn(failpoint.Open, failpoint.Migrate).Name
	}
	return ""
}

// turn returns the next point of some phases.
func (p *plan) turn(phases ...failpoint.Phase) failpoint.Point {
	all := failpoint.Points()
	points := slices.DeleteFunc(all, func(f failpoint.Point) bool { return !slices.Contains(phases, f.During) })
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.next[phases[0]]
	p.next[phases[0]]++
	return points[n%len(points)]
}

// more reports whether a kill is still to come.
func (p *plan) more() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left > 0
}

// phaseOf returns the phase of a point.
func phaseOf(name string) failpoint.Phase {
	for _, p := range failpoint.Points() {
		if p.Name == name {
			return p.During
		}
	}
	return ""
}
