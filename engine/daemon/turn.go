package daemon

import (
	"os"
	"time"
)

// turn is the right to start an owner. Of all the processes that have lost one, one has it at a time:
// otherwise each would start a daemon, of which all but one find the ledger taken, and the more
// processes there are the longer the first of them takes. The zero value is nobody's turn.
type turn struct {
	lock  *os.File  // of the state directory; nil: not taken
	taken bool      // whether an owner may be started
	asked time.Time // when the turn was first asked for
}

// turnWait is how long a process waits for the turn of another one, which may have been stopped.
const turnWait = time.Second

// take takes the turn if it can be had, and reports whether that is new: the owner that another
// process has started in the meantime must be looked for before another one is.
func (t *turn) take(state string, now time.Time) (fresh bool) {
	if t.asked.IsZero() {
		t.asked = now
	}
	lock, free := lockDir(state)
	if !free && now.Sub(t.asked) < turnWait {
		return false
	}
	t.lock, t.taken = lock, true
	return true
}

// end lets the next process have the turn.
func (t *turn) end() {
	if t.lock != nil {
		_ = t.lock.Close() // opened for its lock alone
	}
	*t = turn{}
}
