package daemon

import (
	"os"
	"time"
)

// turn is the right to start an owner. Of all the processes that have lost one, one has it at a time:
// otherwise each would start a daemon, of which all but one find the ledger taken, and the more
// processes there are the longer the first of them takes.
type turn struct {
	patience time.Duration // how long to wait for the turn of another process; see turnWait

	lock  *os.File  // of the state directory; nil: not taken
	taken bool      // whether an owner may be started
	asked time.Time // when the turn was first asked for
}

// turnWait is how long a process waits at least for the turn of another one, which may have been stopped (one that
// ends gives its turn back). Each waits for another time, up to twice as long. On a machine so busy that a daemon takes
// longer than that to start, all who wait start one, and make it busier: with 1 s for everybody dozens did.
const turnWait = 3 * time.Second

// take takes the turn if it can be had, and reports whether that is new: the owner that another
// process has started in the meantime must be looked for before another one is.
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

// lapse ends a turn that another process still has, after a daemon was started in it: the next one has to be waited for
// as long again.
func (t *turn) lapse() {
	if t.lock == nil {
		t.end()
	}
}

// end lets the next process have the turn.
func (t *turn) end() {
	if t.lock != nil {
		_ = t.lock.Close() // opened for its lock alone
	}
	*t = turn{patience: t.patience}
}
