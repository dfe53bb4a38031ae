package core

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// overlap is how far before the newest copied record the search for the next ones begins: hosts copy the records of one
// answer in another order.
const overlap = 100

// copied marks the entries of a batch that the host copied from another session when it forked or resumed that one: they
// have the host's ids of records there, name those, or began at the same time and say the same. What they did and cost is
// counted there. appeared is set if the session turns out to be such a copy.
func (l *Ledger) copied(tx kv.Tx, s *sessions.Session, ready []*prepared) (out []*prepared, appeared bool, err error) {
	from := originOf(ready)
	switch {
	case s.First == "" || s.Fork == nil && from != (sessions.Origin{}):
		if err := join(tx, s, from, firstID(ready)); err != nil {
			return nil, false, err
		}
	case from == (sessions.Origin{}) && (s.Fork == nil || s.Fork.Ended):
		return ready, false, nil
	}
	if s.First == "" {
		return ready, false, nil
	}
	me := *s
	me.Created = cmp.Or(s.Created, ready[0].entry.Time)
	others, known, err := l.families.relatives(tx, me)
	if err != nil || len(others) == 0 {
		return ready, false, err
	}
	wanted, open := map[string]string{}, map[string]bool{}
	for _, p := range ready {
		if id := p.entry.Origin.Record; id != "" {
			wanted[id] = p.hostName()
		}
		wanted[twin(&p.entry)] = p.hostName()
		wanted[p.entry.HostID], open[p.hostName()] = p.hostName(), true
	}
	delete(wanted, "")
	delete(open, "")
	appeared = s.Fork == nil
	fork := sessions.Fork{}
	if !appeared {
		fork = *s.Fork
	}
	for _, other := range others {
		if err := findCopies(tx, other, &fork, wanted, open); err != nil {
			return nil, false, err
		}
	}
	// Two sessions that began at once with the same request are none, unless they were answered the same.
	if appeared && !known && !slices.ContainsFunc(ready, func(p *prepared) bool {
		return p.entry.Group != "" && !open[p.hostName()]
	}) {
		return ready, false, nil
	}
	for _, p := range ready {
		switch name := p.hostName(); {
		case open[name]:
			fork.Ended = true
		case name != "":
			p = p.asCopy()
			fork.Entries++
		}
		out = append(out, p)
	}
	s.Fork = &fork
	return out, appeared, nil
}

// twin returns what an entry has in common with its copy under another id; "": nothing, as of an answer without a name.
func twin(e *sessions.Entry) string {
	if e.Role == transcript.RoleAssistant && e.Group == "" {
		return ""
	}
	return fmt.Sprintf("%d %s %q %q %d %d", e.Time.UnixMilli(), e.Role, e.Group, e.Note, e.Tokens, e.Chars)
}

// hostName returns what tells the host's records of a batch apart, "" for none.
func (p *prepared) hostName() string { return cmp.Or(p.entry.HostID, p.entry.Origin.Record) }

// originOf returns what the host says of the first record that it copied: the session, and the record if that has another id
// here.
func originOf(ready []*prepared) (from sessions.Origin) {
	for _, p := range ready {
		if from = p.entry.Origin; from.Record == p.entry.HostID {
			from.Record = ""
		}
		if from.Session != "" {
			return from
		}
	}
	return sessions.Origin{}
}

// join finds the family of a session: that of the one that it was forked from, if the host names that or begins with its id,
// else that of the sessions that begin with the same record.
func join(tx kv.Tx, s *sessions.Session, from sessions.Origin, first string) error {
	id := cmp.Or(from.Session, first)
	trunk, found, err := sessions.OfHost(tx, s.Host, id)
	switch {
	case err != nil:
		return err
	case found:
		s.First = cmp.Or(trunk.First, id)
	case from.Record != "":
		s.First = id // what the others know it by
	case s.First == "":
		s.First = first
	}
	return nil
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

// families knows which sessions begin with the same record, or at the same time. It reads all sessions once, and what it says is checked: a
// transaction that failed may have told it of a session.
type families struct {
	mu  sync.Mutex
	ids map[string][]string // host NUL id of the first record, or time → sessions; nil before the first use
}

// relatives returns the other sessions of a host that begin with the same record, or with this session, or are main ones that
// began at the same time, and remembers it. known is set if the ids of records say so of one.
func (f *families) relatives(tx kv.Tx, s sessions.Session) (out []sessions.Session, known bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids == nil {
		all, err := sessions.List(tx)
		if err != nil {
			return nil, false, err
		}
		f.ids = map[string][]string{}
		for _, other := range all {
			f.add(other)
		}
	}
	f.add(s)
	ids := slices.Concat(f.ids[family(s)], f.ids[born(s)])
	if s.First != s.HostID {
		ids = slices.Concat(ids, f.ids[s.Host+"\x00"+s.HostID]) // Codex's forks of this one, which came before it
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		other, err := sessions.Get(tx, id)
		named := other.First == s.First || other.First == s.HostID
		switch {
		case fault.Is(err, fault.NotFound) || id == s.ID:
		case err != nil:
			return nil, false, err
		case other.Host == s.Host && (named || born(other) == born(s) && s.Main() && other.Main()):
			out, known = append(out, other), known || named
		}
	}
	return out, known, nil
}

func (f *families) add(s sessions.Session) {
	for _, name := range []string{family(s), born(s)} {
		if s.First != "" && !slices.Contains(f.ids[name], s.ID) {
			f.ids[name] = append(f.ids[name], s.ID)
		}
	}
}

func family(s sessions.Session) string { return s.Host + "\x00" + s.First }

func born(s sessions.Session) string {
	return s.Host + "\x00at " + s.Created.UTC().Format(time.RFC3339Nano)
}

// findCopies takes from the open records those that the log of another session has. wanted has their names by all their ids.
// fork remembers the session that had the last one, and where.
func findCopies(tx kv.Tx, other sessions.Session, fork *sessions.Fork, wanted map[string]string,
	open map[string]bool) error {
	from := int64(1)
	if fork.Session == other.ID {
		from = max(1, fork.To-overlap)
	}
	for e, err := range sessions.Scan(tx, other.ID, from, 0) {
		if err != nil {
			return err
		}
		if len(open) == 0 {
			return nil
		}
		for _, id := range []string{e.HostID, e.Origin.Record, twin(&e.Entry)} {
			if name := wanted[id]; name != "" {
				delete(open, name)
				fork.Session, fork.To = other.ID, e.Seq
			}
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
