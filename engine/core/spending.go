package core

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// maxSpending is how many sessions' sums are kept.
const maxSpending = 1_000

// spending caches what sessions used by their measured requests, so that only new ones are read.
type spending struct {
	mu    sync.Mutex
	kept  map[string]*sessionSpent // guarded by mu, as are their contents
	day   time.Time                // guarded by mu; when the day began of which today has the sessions
	today map[string]bool          // guarded by mu; sessions with a request since then
}

// sessionSpent is what the requests of one session used.
type sessionSpent struct {
	upTo   int64 // the newest request that was counted
	agents map[string]*spent
	day    time.Time
	today  spent // since day
}

type spent struct {
	tokens int64
	bill   sessions.Bill
}

func (s *spent) add(o spent) {
	s.tokens += o.tokens
	for _, c := range o.bill {
		s.bill.Add(c)
	}
}

// rest drops what an idle ledger does not keep.
func (x *spending) rest() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept, x.today, x.day = nil, nil, time.Time{}
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
	out := ledger.LimitsResponse{Spent: []ledger.Spent{}}
	s := sessions.Session{ID: r.Session, Tree: l.Trees.TreeOf(dirOf(sessions.Session{Dir: r.Dir}))}
	if len(l.Settings(s).Limits) == 0 {
		return out, nil
	}
	return View(ctx, l, func(tx kv.Tx) (ledger.LimitsResponse, error) {
		if s.ID == "" && r.HostID != "" {
			found, ok, err := sessions.OfHost(tx, r.Host, r.HostID)
			if err != nil {
				return out, err
			} else if ok {
				s.ID = found.ID
			}
		}
		var err error
		out.Spent, err = l.Spent(tx, s, r.Agent)
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
	now := l.Now().Local()
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
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
			used, err = l.spentBy(tx, s.ID, day, func(name string) bool { return name == agent })
		default:
			used, err = l.spentBy(tx, s.ID, day, func(string) bool { return true })
		}
		if err != nil {
			return out, err
		}
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

// spentBy sums up what agents of a session used. The caller holds the lock.
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
	return sum, nil
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
