package link

import (
	"os"
	"time"
)

// turn is the right to start an owner, which one of the processes that have lost an owner has at a time.
// Without it each would start a daemon, all but one of which find the ledger locked, and slow each other
// down.
type turn struct {
	patience time.Duration // how long to wait while another process has the turn; see turnWait

	lock  *os.File  // of a directory; nil: not taken
	taken bool      // whether an owner may be started
	asked time.Time // when the turn was first asked for
}

// turnWait is the minimum time that a process waits while another one has the turn: that process may be
// suspended (one that ends releases its turn). Each waits for a random time of up to twice as long. On a
// machine so busy that a daemon takes longer to start, all waiting processes start one, and make it
// busier: with 1 s for all, dozens did.
const turnWait = 3 * time.Second

// take takes the turn if it is free or patience is over, and reports whether it did. The caller must then
// look again for an owner that another process has started meanwhile.
func (t *turn) take(state string, now time.Time) (fresh bool) {
	if t.asked.IsZero() {
		t.asked = now
	}
	lock, free := lockDir(state)
	if !free && now.Sub(t.asked) < t.patience {
		return false
	}
	t.lock, t.taken = lock, true
	return true
}

// lapse ends a turn that was taken although another process still has it: the next one needs as much
// patience.
func (t *turn) lapse() {
	if t.lock == nil {
		t.end()
	}
}

// end releases the turn for the next process.
func (t *turn) end() {
	if t.lock != nil {
		_ = t.lock.Close() // opened only for its lock
	}
	*t = turn{patience: t.patience}
}
