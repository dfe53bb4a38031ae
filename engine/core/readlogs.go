package core

import (
	"slices"
	"sync"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// Bounds of what is kept of logs that were read.
const (
	maxLogs       = 16       // sessions: as many as requests are at work at once
	maxLogEntries = 50_000   // of all of them together
	maxLogWords   = 32 << 20 // bytes of the messages that plans have read, of all of them together
)

// readLogs caches the logs that were read last, so that only the new entries of a session are read. It only contains
// committed entries: those read by transactions without changes, and those that a session began with, once they were
// committed.
type readLogs struct {
	mu   sync.Mutex
	kept []readLog // guarded by mu; the most recently used last
}

// readLog is a cached log with its folded form. Its entries do not change. Only the transaction that took it out of
// readLogs appends to the array of entries and uses the planner.
type readLog struct {
	session   string
	rewritten uint64 // how often entries had been rewritten
	entries   []sessions.Entry
	folded    *Folded           // of these entries
	words     *compaction.Words // its messages that were read
	agent     string            // whose view it was
	planner   *window.Planner   // that made it
}

// newLog returns the log of a session of which nothing was read.
func newLog(session string, rewritten uint64) readLog {
	return readLog{session: session, rewritten: rewritten, folded: &Folded{}, words: &compaction.Words{},
		planner: &window.Planner{}}
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
	f.Session, f.Agent, f.Policy, f.Words, f.WordsTo = s, agent, policy, log.words, int64(len(log.entries))
	log.entries = slices.Grow(log.entries, int(min(max(0, s.Seq-int64(len(log.entries))), maxLogEntries)))
	for e, err := range sessions.Scan(tx, s.ID, int64(len(log.entries))+1, 0) {
		if err != nil {
			return nil, err
		}
		if log.entries = append(log.entries, e.Entry); e.Seq != int64(len(log.entries)) {
			return nil, fault.New(fault.Corrupt, "engine.fold", "entry %d of session %s is at position %d of its log",
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
		f.WordsTo = int64(len(log.entries))
		l.put(log)
	}
	return f, nil
}

// known returns the cached log of a session. With take it leaves the cache, to be appended to.
func (l *readLogs) known(s sessions.Session, rewritten uint64, take bool) readLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.kept, func(k readLog) bool { return k.session == s.ID })
	if i < 0 || l.kept[i].rewritten != rewritten || int64(len(l.kept[i].entries)) > s.Seq {
		return newLog(s.ID, rewritten)
	}
	log := l.kept[i]
	if take {
		l.kept = slices.Delete(l.kept, i, i+1)
	} else {
		log.entries, log.planner = slices.Clip(log.entries), &window.Planner{}
	}
	return log
}

// put caches a log, unless a longer one is cached, and evicts the oldest above the limits.
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
	for l.exceed() {
		l.kept = slices.Delete(l.kept, 0, 1)
	}
}

// exceed reports whether too much is cached. The caller holds mu.
func (l *readLogs) exceed() bool {
	entries, words := 0, 0
	for _, k := range l.kept {
		entries += len(k.entries)
		words += k.words.Size()
	}
	return len(l.kept) > maxLogs || entries > maxLogEntries || words > maxLogWords
}

// Rest drops the caches of an idle ledger: the logs that were read, and the tables of the tokenizers. How often sessions
// called what stays while that is little.
func (l *Ledger) Rest() {
	l.logs.mu.Lock()
	l.logs.kept = nil
	l.logs.mu.Unlock()
	l.tallies.rest()
	l.spending.rest()
	tokens.Rest()
}
