package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// maxSpending is how many sessions' sums are kept.
const maxSpending = 1_000

// spending caches what sessions used by their measured requests, so that only new ones are read.
type spending struct {
	mu     sync.Mutex
	kept   map[string]*sessionSpent // guarded by mu, as are their contents
	day    time.Time                // guarded by mu; when the day began of which today has the sessions
	today  map[string]bool          // guarded by mu; sessions with a request since then
	billed map[string]billedDay     // guarded by mu; what sessions cost today
}

// sessionSpent is what the requests of one session used.
type sessionSpent struct {
	upTo    int64 // the newest request that was counted; 0: none was measured
	agents  map[string]*spent
	day     time.Time
	today   spent // since day
	reduced reductions
}

type spent struct {
	tokens   int64
	bill     sessions.Bill
	estimate bool
}

func (s *spent) add(o spent) {
	s.tokens, s.estimate = s.tokens+o.tokens, s.estimate || o.estimate
	for _, c := range o.bill {
		s.bill.Add(c)
	}
}

// rest drops what an idle ledger does not keep.
func (x *spending) rest() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept, x.today, x.billed, x.day = nil, nil, nil, time.Time{}
}

// note says that a session has a new request.
func (x *spending) note(session string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.today != nil {
		x.today[session] = true
	}
}

// Limits implements ledger.ModelRequests.
func (l *Ledger) Limits(ctx context.Context, r ledger.LimitsRequest) (ledger.LimitsResponse, error) {
	s := sessions.Session{ID: r.Session, Tree: l.Trees.TreeOf(dirOf(sessions.Session{Dir: r.Dir}))}
	return View(ctx, l, func(tx kv.Tx) (out ledger.LimitsResponse, err error) {
		switch {
		case s.ID != "" && r.Dir == "":
			s, err = sessions.Get(tx, s.ID)
		case s.ID == "" && r.HostID != "":
			var found sessions.Session
			found, _, err = sessions.OfHost(tx, r.Host, r.HostID)
			s.ID = found.ID
		}
		if err == nil {
			out.Spent, err = l.Spent(tx, s, r.Agent)
		}
		return out, err
	})
}

// Spent returns what was used of the limits that hold for a session, of an agent of which one may be.
func (l *Ledger) Spent(tx kv.Tx, s sessions.Session, agent string) ([]ledger.Spent, error) {
	set := l.Settings(s)
	out := []ledger.Spent{}
	if len(set.Limits) == 0 {
		return out, nil
	}
	l.spending.mu.Lock()
	defer l.spending.mu.Unlock()
	day := l.midnight()
	for _, limit := range set.Limits {
		of := ledger.Spent{LimitSet: limit}
		var used spent
		var err error
		switch scope, _, _ := strings.Cut(strings.TrimPrefix(limit.Key, "limits."), "."); scope {
		case "day":
			of.Since = day
			used, err = l.spentToday(tx, day)
		case "agent":
			of.Agent = agent
			used, err = l.spentBy(tx, s.ID, day, func(name string) bool { return agentname.Same(name, agent) })
		default:
			used, err = l.spentBy(tx, s.ID, day, func(string) bool { return true })
		}
		if err != nil {
			return out, err
		}
		of.Estimate = used.estimate
		if of.Used = float64(used.tokens); strings.HasSuffix(limit.Key, ".usd") {
			of.Used = 0
			cost := used.bill.Cost(set.Models)
			if cost.Dollars != nil {
				of.Used = *cost.Dollars
			}
			if cost.Unpriced != nil {
				of.Unpriced = cost.Unpriced.Tokens
			}
		}
		out = append(out, of)
	}
	return out, nil
}

// midnight is when today began on this machine.
func (l *Ledger) midnight() time.Time {
	now := l.Now().Local()
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
}

// spentBy sums up what agents of a session used: by what a proxy measured, or by what is recorded of their answers if that is
// more, because not all of their requests passed a proxy. The caller holds the lock.
func (l *Ledger) spentBy(
	tx kv.Tx, session string, day time.Time, counts func(agent string) bool,
) (sum spent, err error) {
	if session == "" {
		return sum, nil
	}
	x, err := l.sessionSpent(tx, session, day)
	if err != nil {
		return sum, err
	}
	for agent, s := range x.agents {
		if counts(agent) {
			sum.add(*s)
		}
	}
	recorded, err := l.spentAsRecorded(tx, session, counts)
	if recorded.tokens > sum.tokens && (x.upTo == 0 || !recorded.estimate) {
		return recorded, err
	}
	return sum, err
}

// spentAsRecorded sums up what the answers of agents of a session used, and subagents with sessions of their own. Where no
// answer was measured it is an estimate, which has no price.
func (l *Ledger) spentAsRecorded(tx kv.Tx, session string, counts func(agent string) bool) (sum spent, err error) {
	f, err := l.Fold(tx, session)
	if err != nil {
		return sum, err
	}
	add := func(agent string, bill sessions.Bill, estimate bool) {
		if used := bill.Sum(); counts(agent) {
			sum.add(spent{int64(used.Prompt()) + used.Output, bill, estimate})
		}
	}
	for i := range f.Entries {
		bill := slices.Clone(f.Entries[i].Billed())
		for k := range bill {
			bill[k].Model = cmp.Or(bill[k].Model, f.Session.Model)
		}
		add(f.Entries[i].Author, bill, false)
	}
	if f.Session.HostID == "" && !f.Measured() {
		f.Estimated(func(e *sessions.Entry, _, all int) {
			out := f.Counter("").Of(e.Tokens).N
			add(e.Author, sessions.Bill{{Usage: sessions.Usage{Input: int64(all), Output: int64(out)}}}, true)
		})
	}
	if f.Session.HostID == "" {
		return sum, nil // the subagents of a conversation that is handed in are authors in it
	}
	all, err := sessions.List(tx)
	for _, s := range StartedBy(all)(session) {
		add(cmp.Or(s.Agent, s.ID), s.Billed(), false)
	}
	return sum, err
}

// spentToday sums up what all sessions used since a day began. The caller holds the lock.
func (l *Ledger) spentToday(tx kv.Tx, day time.Time) (sum spent, err error) {
	x := &l.spending
	if x.today == nil || !x.day.Equal(day) {
		if x.today, err = requestedSince(tx, day); err != nil {
			x.today = nil
			return sum, err
		}
		x.day = day
	}
	for session := range x.today {
		s, err := l.sessionSpent(tx, session, day)
		if err != nil {
			return sum, err
		}
		sum.add(s.today)
	}
	return sum, nil
}

// sessionSpent counts the requests of a session that were not counted yet. The caller holds the lock.
func (l *Ledger) sessionSpent(tx kv.Tx, session string, day time.Time) (*sessionSpent, error) {
	newest, err := l.NewestRequest(tx, session)
	if err != nil {
		return nil, err
	}
	x := l.spending.kept[session]
	if x != nil && x.upTo == newest.Seq && x.day.Equal(day) {
		return x, nil
	}
	if x == nil || x.upTo > newest.Seq || !x.day.Equal(day) {
		x = &sessionSpent{agents: map[string]*spent{}, day: day}
	}
	delete(l.spending.kept, session) // an error leaves nothing that is half counted
	models := l.Settings(sessions.Session{}).Models
	err = eachRequest(tx, session, x.upTo+1, func(q ledger.ModelRequest, _ int) bool {
		one := spent{tokens: int64(q.Usage.Prompt()) + q.Usage.Output, bill: q.Bill}
		if len(q.Bill) == 0 {
			one.bill = sessions.Bill{{Usage: q.Usage}}
		}
		for i := range one.bill {
			one.bill[i].Model = cmp.Or(one.bill[i].Model, q.Model)
		}
		if x.agents[q.Agent] == nil {
			x.agents[q.Agent] = &spent{}
		}
		if x.agents[q.Agent].add(one); !q.At.Before(day) {
			x.today.add(one)
		}
		x.reduced.add(q, models)
		x.upTo = q.Seq
		return true
	})
	if err != nil {
		return nil, err
	}
	if l.spending.kept == nil || len(l.spending.kept) >= maxSpending {
		l.spending.kept = map[string]*sessionSpent{}
	}
	l.spending.kept[session] = x
	return x, nil
}

// requestedSince returns the sessions with requests since a time. Of each only the newest request is read.
func requestedSince(tx kv.Tx, since time.Time) (map[string]bool, error) {
	out := map[string]bool{}
	for before := []byte(nil); ; {
		var q ledger.ModelRequest
		var key []byte
		for r, err := range tx.Scan(BucketRequests, kv.Range{To: before, Reverse: true}) {
			if err == nil {
				q, err = kv.JSON[ledger.ModelRequest](r)
			}
			if err != nil {
				return nil, err
			}
			key = r.Key
			break
		}
		if key == nil {
			return out, nil
		}
		if before = requestKey(q.Session); !q.At.Before(since) {
			out[q.Session] = true
		}
	}
}
