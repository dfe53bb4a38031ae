package core

import (
	"slices"
	"sync"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// Bounds of what is kept of logs that were read.
const (
	maxLogs       = 4      // sessions
	maxLogEntries = 50_000 // of all of them together
)

// readLogs keeps the logs that were read last, so that a session that went on is read from where it was.
// Only what a transaction without changes has seen comes in: it was committed.
type readLogs struct {
	mu   sync.Mutex
	kept []readLog // guarded by mu; the most recently used last
}

// readLog is a log as it was read, and what followed from it. Nobody changes its entries. The array behind
// them is appended to by whoever took it out of readLogs, and by nobody else, and so is the planner.
type readLog struct {
	session   string
	rewritten uint64 // how often entries had been rewritten
	entries   []sessions.Entry
	folded    *Folded         // of these entries
	agent     string          // whose view it was
	planner   *window.Planner // that made it
}

// current returns the log of a session, folded for one agent. keep says that the transaction changes nothing.
func (l *readLogs) current(tx kv.Tx, s sessions.Session, agent string, policy window.Policy,
	keep bool) (*Folded, error) {
	rewritten, err := sessions.Rewritten(tx, s.ID)
	if err != nil {
		return nil, err
	}
	log := l.known(s, rewritten, keep)
	f := log.folded.Clone()
	f.Session, f.Agent, f.Policy = s, agent, policy
	for e, err := range sessions.Scan(tx, s.ID, int64(len(log.entries))+1, 0) {
		if err != nil {
			return nil, err
		}
		if log.entries = append(log.entries, e.Entry); e.Seq != int64(len(log.entries)) {
			return nil, fault.New(fault.Corrupt, "engine.fold", "entry %d of session %s stands at place %d of its log",
				e.Seq, s.ID, len(log.entries))
		}
		if err := f.Take(&e.Entry); err != nil {
			return nil, err
		}
	}
	f.Entries = slices.Clip(log.entries)
	if log.agent != agent {
		log.agent, log.planner = agent, &window.Planner{} // what one agent is shown less of says nothing of another
	}
	f.View = log.planner.Plan(f.Input())
	if log.folded = f.Clone(); keep {
		l.put(log)
	}
	return f, nil
}

// known returns what is kept of a log. With take it is taken out, to be appended to.
func (l *readLogs) known(s sessions.Session, rewritten uint64, take bool) readLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.kept, func(k readLog) bool { return k.session == s.ID })
	if i < 0 || l.kept[i].rewritten != rewritten || int64(len(l.kept[i].entries)) > s.Seq {
		return readLog{session: s.ID, rewritten: rewritten, folded: &Folded{}, planner: &window.Planner{}}
	}
	log := l.kept[i]
	if take {
		l.kept = slices.Delete(l.kept, i, i+1)
	} else {
		log.entries, log.planner = slices.Clip(log.entries), &window.Planner{}
	}
	return log
}

// put keeps a log, unless a longer one is kept, and lets the oldest go where there are too many.
func (l *readLogs) put(log readLog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.kept, func(k readLog) bool { return k.session == log.session }); i >= 0 {
		if have := l.kept[i]; have.rewritten == log.rewritten && len(have.entries) > len(log.entries) {
			return
		}
		l.kept = slices.Delete(l.kept, i, i+1)
	}
	l.kept = append(l.kept, log)
	for sum := l.entries(); len(l.kept) > maxLogs || len(l.kept) > 0 && sum > maxLogEntries; sum = l.entries() {
		l.kept = slices.Delete(l.kept, 0, 1)
	}
}

func (l *readLogs) entries() (n int) {
	for _, k := range l.kept {
		n += len(k.entries)
	}
	return n
}

// Rest lets go of what is kept only to be faster: the logs that were read, what became of them, and the tables of the
// tokenizers. It is for a ledger that nobody has asked anything for a while.
func (l *Ledger) Rest() {
	l.logs.mu.Lock()
	l.logs.kept = nil
	l.logs.mu.Unlock()
	tokens.Rest()
}
