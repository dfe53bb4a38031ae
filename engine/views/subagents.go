package views

import (
	"cmp"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// spend adds what a session cost so far, with its subagents as a part of it: those in its own log, and those apart, that are
// sessions of their own. What they took is charged at the prices of their models.
func spend(f *core.Folded, apart []sessions.Session, u *ledger.Use) {
	own, others := f.Session.Billed(), sessions.Bill{}
	inside := map[string]bool{}
	for i := range f.Entries {
		e := &f.Entries[i]
		if !ofSubagent(e) {
			continue
		}
		for _, c := range e.Billed() {
			c.Model = cmp.Or(c.Model, f.Session.Model)
			others.Add(c)
			own.Remove(c, f.Session.Model)
			inside[e.Author] = true
		}
	}
	sub := ledger.Subagents{N: len(inside)}
	for _, s := range apart {
		if s.Usage != (sessions.Usage{}) {
			sub.N++
		}
		for _, c := range s.Billed() {
			others.Add(c)
		}
	}
	u.Cost, u.Unfinished = slices.Concat(own, others).Cost(f.Models), unfinished(f)
	if sub.N > 0 {
		sub.Usage, sub.Dollars = others.Sum(), others.Cost(f.Models).Dollars
		u.Subagents = &sub
	}
}

// ofSubagent reports whether an entry says what a subagent in the log of a session took.
func ofSubagent(e *sessions.Entry) bool { return e.Hidden && e.Author != "" && e.Measured() }

// startedBy lists the subagents of a session that are sessions of their own, and theirs.
func startedBy(tx kv.Tx, id string) ([]sessions.Session, error) {
	all, err := sessions.List(tx)
	return core.StartedBy(all)(id), err
}

// spendTurns adds what subagents with sessions of their own took to the turns in which they began.
func spendTurns(f *core.Folded, apart []sessions.Session, replay *turnReplay, turns []ledger.Turn) {
	bills := make([]sessions.Bill, len(turns))
	for _, s := range apart {
		at := len(turns) - 1
		for at > 0 && replay.turns[at].time.After(s.Created) {
			at--
		}
		if at < 0 || at == 0 && replay.earlier > 0 && replay.turns[0].time.After(s.Created) {
			continue // it is of a turn that is not listed
		}
		for _, c := range s.Billed() {
			bills[at].Add(c)
		}
	}
	for i, bill := range bills {
		if sum := bill.Cost(f.Models).Dollars; sum != nil {
			turns[i].Dollars, turns[i].Subagents = turns[i].Dollars+*sum, turns[i].Subagents+*sum
		}
	}
}
