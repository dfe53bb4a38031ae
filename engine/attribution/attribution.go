package attribution

import (
	"cmp"
	"slices"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// How the time of a change is matched with the time of a call.
const (
	// grace is how long after its result a call may still have changed a file: hosts record the result of a write
	// before what it triggers (a formatter, a flush) has finished. A person may as well have saved the file then.
	grace = 2 * time.Second
	// fileClock is how far the clock of a file system may lag behind that of the host: its ticks are coarse.
	fileClock = 10 * time.Millisecond
	// maxRun is the longest time that a call is assumed to run, and maxPending that of a call without a result,
	// which may have been abandoned.
	maxRun     = 2 * time.Hour
	maxPending = 10 * time.Minute
	// maxWindow bounds the calls, and the changes, that are examined for one time.
	maxWindow = 1000
	// maxCandidates bounds the candidates that are kept of one change.
	maxCandidates = 8
	// maxRecent is how many changes of one path Recent returns.
	maxRecent = 16
)

// Attributor determines by time which call changed a file. It is the latest call that names the file. Otherwise it is
// the one open call (see intents.Intent.Open) that ran, or the open calls that ran are candidates. So are calls that had
// just ended. Calls that name only other files are no explanation.
type Attributor struct {
	trees *Trees
	Tx    kv.Tx
	own   *sessions.Session // the session that is being written, newer than its record; nil: none
}

// NewAttributor attributes inside a transaction. own is the session that it writes; nil: none.
func NewAttributor(trees *Trees, tx kv.Tx, own *sessions.Session) Attributor {
	return Attributor{trees, tx, own}
}

// attribution is the result: one intent, candidates, or neither.
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
	if during := unended(named, at); len(during) > 0 {
		return attribution{Intent: latest(during)}, nil
	}
	open, err := a.open(tree, at)
	if err != nil {
		return attribution{}, err
	}
	during, all := unended(open, at), append(open, named...)
	if len(during) == 1 && len(all) == 1 {
		return attribution{Intent: &all[0]}, nil
	}
	claimed, err := a.claimed(tree, path, during)
	if err != nil || claimed != nil {
		return attribution{Intent: claimed}, err
	}
	slices.Reverse(all) // the oldest first
	return attribution{candidates: all[:min(len(all), maxCandidates)]}, nil
}

// ended reports whether a call had its result before a time: what changed a file then, it may have triggered.
func ended(in intents.Intent, at time.Time) bool {
	return in.Finished != nil && at.After(in.Finished.Add(fileClock))
}

// unended returns the calls that had no result yet at a time.
func unended(list []intents.Intent, at time.Time) []intents.Intent {
	return slices.DeleteFunc(slices.Clone(list), func(in intents.Intent) bool { return ended(in, at) })
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

// claimed returns the one of several calls whose session reported changing the file, or nil.
func (a Attributor) claimed(tree, path string, among []intents.Intent) (*intents.Intent, error) {
	list, err := Recent(a.Tx, tree, path)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		i := slices.IndexFunc(among, func(in intents.Intent) bool { return in.ID == c.Intent })
		if i >= 0 && c.Claim() {
			return &among[i], nil
		}
	}
	return nil, nil
}

// callsIn keeps the calls of sessions that work on the files of a tree.
func (a Attributor) callsIn(list []intents.Intent, tree string) ([]intents.Intent, error) {
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

// running keeps the calls that may have worked on a tree at a time. A failed call that names its files has not changed
// them.
func (a Attributor) running(list []intents.Intent, tree string, at time.Time) ([]intents.Intent, error) {
	list, err := a.callsIn(list, tree)
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

// window returns when a call may have changed files. It is empty (from after to) for a call of a session that ran in
// none of the trees.
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

// abandoned returns the latest end of a call without a result: the next turn of its session, unless it goes on in the
// background, or maxPending after it began.
func (a Attributor) abandoned(s sessions.Session, in intents.Intent) (time.Time, error) {
	end := in.Begun.Add(maxPending)
	if s.Turns <= in.Turn || in.Task != "" {
		return end, nil
	}
	const near = 256 // entries of concurrent calls
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

// equals reports whether the change's record has this attribution already.
func (by attribution) equals(c changes.Change) bool {
	d := c
	by.Put(&d)
	return c.Intent == d.Intent && slices.Equal(c.Candidates, d.Candidates)
}

// again attributes the observed changes during a call a second time: the ledger learns of a call, and of its end,
// after the files have changed. It returns the number of updated records.
func (a Attributor) again(in intents.Intent) (int, error) {
	from, to, err := a.window(in)
	if err != nil || from.After(to) {
		return 0, err
	}
	if longest := in.Begun.Add(maxPending); to.Before(longest) {
		to = longest // until its end was known, it was a candidate for that long
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
	for _, c := range inTree(list, a.trees.Apart(s)) {
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

// ChangesOf returns what says whether a change is one of a session: it made the change, or the host copied the call that made
// it into the session.
func ChangesOf(tx kv.Tx, session string) func(changes.Change) (bool, error) {
	return func(c changes.Change) (bool, error) {
		if c.Session == "" || c.Session == session {
			return c.Session == session, nil
		}
		e, err := sessions.GetEntry(tx, c.Session, c.Seq)
		if fault.Is(err, fault.NotFound) {
			return false, nil
		}
		calls := make([]string, 0, len(e.Calls)+len(e.Results)) // the entry is that of the call, or of its result
		for _, call := range e.Calls {
			calls = append(calls, call.ID)
		}
		for _, r := range e.Results {
			calls = append(calls, r.CallID)
		}
		for _, id := range calls {
			made, e1 := intents.OfCall(tx, c.Session, id)
			copied, e2 := intents.OfCall(tx, session, id)
			if err = cmp.Or(err, e1, e2); err == nil && made != nil && made.ID == c.Intent && copied != nil &&
				copied.Copied && copied.Begun.UnixMilli() == made.Begun.UnixMilli() {
				return true, nil
			}
		}
		return false, err
	}
}

// Recent returns the newest changes of a file of a tree, newest first; "" is the workspace's root.
func Recent(tx kv.Tx, tree, path string) ([]changes.Change, error) {
	list, err := changes.OfPath(tx, path, maxRecent)
	return inTree(list, tree), err
}

// inTree keeps the changes of files in one tree.
func inTree(list []changes.Change, tree string) []changes.Change {
	return slices.DeleteFunc(list, func(c changes.Change) bool { return c.Tree != tree })
}

// PendingOn returns the pending intents that act on a file of a tree, oldest first.
func (a Attributor) PendingOn(tree, path string) ([]intents.Intent, error) {
	list, err := intents.PendingOnPath(a.Tx, path)
	if err != nil {
		return nil, err
	}
	return a.callsIn(slices.DeleteFunc(list, func(in intents.Intent) bool { return in.Subject() != path }), tree)
}
