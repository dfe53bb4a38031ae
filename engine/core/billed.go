package core

import (
	"cmp"
	"slices"
	"time"

	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// billedDay is what is recorded of the answers of a session since a day began.
type billedDay struct {
	day       time.Time
	rewritten uint64 // how often entries had been rewritten
	upTo      int64  // the newest entry that was counted
	bill      sessions.Bill
}

// BilledToday returns what is recorded of the answers of all sessions since midnight, subagents' included.
func (l *Ledger) BilledToday(tx kv.Tx) (sum sessions.Bill, err error) {
	all, err := visible(tx)
	if err != nil {
		return nil, err
	}
	day := l.midnight()
	l.spending.mu.Lock()
	defer l.spending.mu.Unlock()
	kept := map[string]billedDay{}
	for _, s := range all {
		if s.Updated.Before(day) {
			continue
		}
		b, err := billedSince(tx, s, day, l.spending.billed[s.ID])
		if err != nil {
			return nil, err
		}
		kept[s.ID] = b
		for _, c := range b.bill {
			sum.Add(c)
		}
	}
	l.spending.billed = kept
	return sum, nil
}

// billedSince counts the entries of a session since a day began, those that were not counted yet.
func billedSince(tx kv.Tx, s sessions.Session, day time.Time, was billedDay) (billedDay, error) {
	rewritten, err := sessions.Rewritten(tx, s.ID)
	if err != nil {
		return was, err
	}
	if !was.day.Equal(day) || was.rewritten != rewritten || was.upTo > s.Seq {
		was = billedDay{day: day, rewritten: rewritten}
	}
	now := was
	now.upTo, now.bill = s.Seq, slices.Clone(was.bill)
	for e, err := range sessions.Back(tx, s.ID, was.upTo+1) {
		if err != nil {
			return was, err
		}
		if !e.Time.IsZero() && e.Time.Before(day) {
			break
		}
		for _, c := range e.Billed() {
			c.Model = cmp.Or(c.Model, s.Model)
			now.bill.Add(c)
		}
	}
	return now, nil
}

// Reduced sums up what the requests of a session were sent without; nil: all were sent as they were written.
func (l *Ledger) Reduced(tx kv.Tx, session string) (*ledger.ReducedUse, error) {
	l.spending.mu.Lock()
	defer l.spending.mu.Unlock()
	x, err := l.sessionSpent(tx, session, l.midnight())
	if err != nil {
		return nil, err
	}
	sum := x.reduced
	return sum.use(), nil
}
