package attribution

import (
	"slices"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// How the time of a change and the time of a call are brought together.
const (
	// grace is how long after its result a call may still have changed a file: hosts note the result
	// of a write before what the write set off (a formatter, a flush) is through.
	grace = 2 * time.Second
	// fileClock is how much the clock of a file system may be behind that of the host: it ticks.
	fileClock = 10 * time.Millisecond
	// maxRun is how long a call is taken to run at most, and maxPending one without a result, which
	// may have been abandoned.
	maxRun     = 2 * time.Hour
	maxPending = 10 * time.Minute
	// maxWindow bounds the calls, and the changes, that are looked at for one time.
	maxWindow = 1000
	// maxCandidates bounds the candidates that are kept of one change.
	maxCandidates = 8
	// MaxRecent is how many changes of one path are looked at.
	MaxRecent = 16
)

// Attributor says which call changed a file, by time: a call that names the file, the latest one that
// did; else the one open call (see intents.Intent.Open) that ran; else the open calls that ran, as
// candidates; else nobody. Calls that name only other files explain nothing.
type Attributor struct {
	trees *Trees
	Tx    kv.Tx
	own   *sessions.Session // the session that is being written, newer than its record; nil: none
}

// NewAttributor attributes inside a transaction. own is the session that it writes; nil: none.
func NewAttributor(trees *Trees, tx kv.Tx, own *sessions.Session) Attributor {
	return Attributor{trees, tx, own}
}

// attribution is who changed a file: one intent, several candidates, or nobody.
type attribution struct {
	Intent     *intents.Intent
	candidates []intents.Intent
}

// Of attributes a change of a file of a tree at a time.
func (a Attributor) Of(tree, path string, at time.Time) (attribution, error) {
	named, err := intents.OfPath(a.Tx, path)
	if err != nil {
		return attribution{}, err
	}
	if named, err = a.running(named, tree, at); err != nil {
		return attribution{}, err
	}
	if len(named) > 0 {
		return attribution{Intent: latest(named)}, nil
	}
	open, err := a.open(tree, at)
	if err != nil || len(open) == 0 {
		return attribution{}, err
	}
	if len(open) == 1 {
		return attribution{Intent: &open[0]}, nil
	}
	claimed, err := a.claimed(tree, path, open)
	if err != nil || claimed != nil {
		return attribution{Intent: claimed}, err
	}
	slices.Reverse(open) // the oldest first
	return attribution{candidates: open[:min(len(open), maxCandidates)]}, nil
}

// latest returns the intent that began last.
func latest(list []intents.Intent) *intents.Intent {
	last := slices.MaxFunc(list, func(a, b intents.Intent) int {
		if c := a.Begun.Compare(b.Begun); c != 0 {
			return c
		}
		return int(a.Seq - b.Seq)
	})
	return &last
}

// open returns the open calls on a tree that ran at a time, the newest first.
func (a Attributor) open(tree string, at time.Time) ([]intents.Intent, error) {
	list, err := intents.OpenBetween(a.Tx, at.Add(-maxRun), at.Add(fileClock), maxWindow)
	if err != nil {
		return nil, err
	}
	return a.running(list, tree, at)
}

// claimed returns the one of several calls whose session says that it changed the file, or nil.
func (a Attributor) claimed(tree, path string, among []intents.Intent) (*intents.Intent, error) {
	list, err := changes.OfPath(a.Tx, path, MaxRecent)
	if err != nil {
		return nil, err
	}
	for _, c := range InTree(list, tree) {
		i := slices.IndexFunc(among, func(in intents.Intent) bool { return in.ID == c.Intent })
		if i >= 0 && c.Claim() {
			return &among[i], nil
		}
	}
	return nil, nil
}

// inTree keeps the calls of sessions that work on the files of a tree.
func (a Attributor) inTree(list []intents.Intent, tree string) ([]intents.Intent, error) {
	kept := list[:0]
	for _, in := range list {
		s, err := a.Session(in.Session)
		if err != nil {
			return nil, err
		}
		if on, known := a.trees.worksOn(s); known && on == tree {
			kept = append(kept, in)
		}
	}
	return kept, nil
}

// running keeps the calls that may have been at work on a tree at a time. A failed call that names
// its files has not changed them.
func (a Attributor) running(list []intents.Intent, tree string, at time.Time) ([]intents.Intent, error) {
	list, err := a.inTree(list, tree)
	if err != nil {
		return nil, err
	}
	kept := list[:0]
	for _, in := range list {
		if in.Status == intents.Failed && !in.Open() {
			continue
		}
		from, to, err := a.window(in)
		if err != nil {
			return nil, err
		}
		if !at.Before(from) && !at.After(to) {
			kept = append(kept, in)
		}
	}
	return kept, nil
}

// window returns when a call may have changed files. A call of a session that ran in none of the trees has
// an empty one: from after to.
func (a Attributor) window(in intents.Intent) (from, to time.Time, err error) {
	s, err := a.Session(in.Session)
	if _, known := a.trees.worksOn(s); err != nil || !known || in.Begun.IsZero() {
		return time.Time{}.Add(1), time.Time{}, err
	}
	from = in.Begun.Add(-fileClock)
	if in.Finished != nil {
		return from, in.Finished.Add(grace), nil
	}
	to, err = a.abandoned(s, in)
	return from, to, err
}

// abandoned returns when a call without a result was over at the latest: when its session went on to
// the next turn, or maxPending after it began.
func (a Attributor) abandoned(s sessions.Session, in intents.Intent) (time.Time, error) {
	end := in.Begun.Add(maxPending)
	if s.Turns <= in.Turn {
		return end, nil
	}
	const near = 256 // entries of calls that ran beside it
	for e, err := range sessions.Scan(a.Tx, s.ID, in.Seq+1, in.Seq+near) {
		if err != nil {
			return end, err
		}
		if e.Turn > in.Turn && e.Time.Before(end) {
			return e.Time, nil
		}
	}
	return end, nil
}

// Session returns a session, as the transaction has it.
func (a Attributor) Session(id string) (sessions.Session, error) {
	if a.own != nil && a.own.ID == id {
		return *a.own, nil
	}
	return sessions.Get(a.Tx, id)
}

// Put writes who changed a file into the change's record.
func (by attribution) Put(c *changes.Change) {
	c.Session, c.Seq, c.Turn, c.Agent, c.Intent, c.Candidates = "", 0, 0, "", "", nil
	if in := by.Intent; in != nil {
		c.Session, c.Seq, c.Turn, c.Agent, c.Intent = in.Session, in.Seq, in.Turn, in.Agent, in.ID
	}
	for _, in := range by.candidates {
		c.Candidates = append(c.Candidates, changes.Candidate{Session: in.Session, Intent: in.ID})
	}
}

// equals reports whether the change's record says so already.
func (by attribution) equals(c changes.Change) bool {
	d := c
	by.Put(&d)
	return c.Intent == d.Intent && slices.Equal(c.Candidates, d.Candidates)
}

// again attributes the observed changes anew that happened while a call may have run: the ledger
// learns of a call, and of its end, after the files have changed. It returns how many records changed.
func (a Attributor) again(in intents.Intent) (int, error) {
	from, to, err := a.window(in)
	if err != nil || from.After(to) {
		return 0, err
	}
	if longest := in.Begun.Add(maxPending); to.Before(longest) {
		to = longest // so long it could have been the one, until it was known to have ended
	}
	list, err := changes.ObservedBetween(a.Tx, from, to, maxWindow)
	if err != nil {
		return 0, err
	}
	s, err := a.Session(in.Session)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, c := range InTree(list, a.trees.Apart(s)) {
		if c.Reported {
			continue
		}
		by, err := a.Of(c.Tree, c.Path, c.Time)
		if err != nil {
			return n, err
		}
		if by.equals(c) {
			continue
		}
		by.Put(&c)
		if err := changes.Update(a.Tx, c); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// InTree keeps the changes of files in one tree; "" is the workspace's root.
func InTree(list []changes.Change, tree string) []changes.Change {
	return slices.DeleteFunc(list, func(c changes.Change) bool { return c.Tree != tree })
}

// PendingOn returns the pending intents that act on a file of a tree, oldest first.
func (a Attributor) PendingOn(tree, path string) ([]intents.Intent, error) {
	list, err := intents.PendingOnPath(a.Tx, path)
	if err != nil {
		return nil, err
	}
	return a.inTree(slices.DeleteFunc(list, func(in intents.Intent) bool { return in.Subject() != path }), tree)
}
