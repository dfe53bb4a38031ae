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

// atStart returns the failpoint at which an owner of the n-th ledger dies while it starts, before the owner of this
// kill; "": none does. At first one dies before every kill, so that a short run reaches every point.
func (p *plan) atStart(n, kill int) string {
	switch {
	case kill == 0 && (n%4 == 0 || p.untried(failpoint.Create)):
		return p.turn(failpoint.Create).Name
	case kill == killsPerLedger/2 && n%2 == 1, kill > 0 && p.untried(failpoint.Open, failpoint.Migrate):
		return p.turn(failpoint.Open, failpoint.Migrate).Name
	}
	return ""
}

// untried reports whether some point of the phases has not had its turn.
func (p *plan) untried(phases ...failpoint.Phase) bool {
	points := pointsOf(phases)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next[phases[0]] < len(points)
}

// pointsOf returns the points of some phases.
func pointsOf(phases []failpoint.Phase) []failpoint.Point {
	return slices.DeleteFunc(failpoint.Points(),
		func(f failpoint.Point) bool { return !slices.Contains(phases, f.During) })
}

// turn returns the next point of some phases.
func (p *plan) turn(phases ...failpoint.Phase) failpoint.Point {
	points := pointsOf(phases)
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
