package core

import (
	"cmp"
	"slices"
	"sync"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// overlap is how far before the newest copied record the search for the next ones begins: hosts copy the records of one
// answer in another order.
const overlap = 100

// copied marks the entries of a batch that the host copied from another session when it forked or resumed that one: they
// have the host's ids of records there. What they did and cost is counted there. appeared is set if the session turns out
// to be such a copy.
func (l *Ledger) copied(tx kv.Tx, s *sessions.Session, ready []*prepared) (out []*prepared, appeared bool, err error) {
	if s.First == "" {
		s.First = firstID(ready)
		// Codex gives the id of the session that this one was forked from: its family is that session's.
		if from, found, err := sessions.OfHost(tx, s.Host, s.First); err != nil {
			return nil, false, err
		} else if found {
			s.First = cmp.Or(from.First, s.First)
		}
	} else if s.Fork == nil || s.Fork.Ended {
		return ready, false, nil
	}
	if s.First == "" {
		return ready, false, nil
	}
	others, err := l.families.relatives(tx, *s)
	if err != nil || len(others) == 0 {
		return ready, false, err
	}
	wanted := map[string]bool{}
	for _, p := range ready {
		if p.entry.HostID != "" {
			wanted[p.entry.HostID] = true
		}
	}
	appeared = s.Fork == nil
	fork := sessions.Fork{}
	if !appeared {
		fork = *s.Fork
	}
	found := map[string]bool{}
	for _, other := range others {
		if err := findCopies(tx, other, &fork, wanted, found); err != nil {
			return nil, false, err
		}
	}
	for _, p := range ready {
		if id := p.entry.HostID; id != "" && !found[id] {
			fork.Ended = true
		} else if id != "" {
			p = p.asCopy()
			fork.Entries++
		}
		out = append(out, p)
	}
	s.Fork = &fork
	return out, appeared, nil
}

// firstID returns the host's id of the first record that has one, "" without any.
func firstID(ready []*prepared) string {
	for _, p := range ready {
		if p.entry.HostID != "" {
			return p.entry.HostID
		}
	}
	return ""
}

// families knows which sessions begin with the same record. It reads all sessions once, and what it says is checked: a
// transaction that failed may have told it of a session.
type families struct {
	mu  sync.Mutex
	ids map[string][]string // host NUL id of the first record → sessions; nil before the first use
}

// relatives returns the other sessions of a host that begin with the same record, or with this session, and remembers it.
func (f *families) relatives(tx kv.Tx, s sessions.Session) (out []sessions.Session, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids == nil {
		all, err := sessions.List(tx)
		if err != nil {
			return nil, err
		}
		f.ids = map[string][]string{}
		for _, other := range all {
			f.add(other)
		}
	}
	f.add(s)
	ids := f.ids[family(s)]
	if s.First != s.HostID {
		ids = slices.Concat(ids, f.ids[s.Host+"\x00"+s.HostID]) // Codex's forks of this one, which came before it
	}
	for _, id := range ids {
		other, err := sessions.Get(tx, id)
		switch {
		case fault.Is(err, fault.NotFound) || id == s.ID:
		case err != nil:
			return nil, err
		case (other.First == s.First || other.First == s.HostID) && other.Host == s.Host:
			out = append(out, other)
		}
	}
	return out, nil
}

func (f *families) add(s sessions.Session) {
	if name := family(s); s.First != "" && !slices.Contains(f.ids[name], s.ID) {
		f.ids[name] = append(f.ids[name], s.ID)
	}
}

func family(s sessions.Session) string { return s.Host + "\x00" + s.First }

// findCopies adds to found which of the wanted ids the log of another session has. fork remembers the session that had the
// last one, and where.
func findCopies(tx kv.Tx, other sessions.Session, fork *sessions.Fork, wanted, found map[string]bool) error {
	from := int64(1)
	if fork.Session == other.ID {
		from = max(1, fork.To-overlap)
	}
	for e, err := range sessions.Scan(tx, other.ID, from, 0) {
		if err != nil {
			return err
		}
		if len(found) == len(wanted) {
			return nil
		}
		if wanted[e.HostID] {
			found[e.HostID] = true
			fork.Session, fork.To = other.ID, e.Seq
		}
	}
	return nil
}

// asCopy returns an entry as one that was copied.
func (p *prepared) asCopy() *prepared {
	c := *p // a copy: the transaction may run twice
	c.entry.Copied = true
	return &c
}
