package views

import (
	"cmp"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// spend adds what a session cost so far, with its subagents as a part of it: those in its own log, and those that are
// sessions of their own. What they took is charged at the prices of their models.
func spend(tx kv.Tx, f *core.Folded, u *ledger.Use) error {
	own, others := f.Session.Billed(), sessions.Bill{}
	inside := map[string]bool{}
	for i := range f.Entries {
		e := &f.Entries[i]
		if !e.Hidden || e.Author == "" || !e.Measured() {
			continue
		}
		for _, c := range e.Billed() {
			c.Model = cmp.Or(c.Model, f.Session.Model)
			others.Add(c)
			own.Remove(c, f.Session.Model)
			inside[e.Author] = true
		}
	}
	all, err := sessions.List(tx)
	if err != nil {
		return err
	}
	apart := core.StartedBy(all)(f.Session.ID)
	sub := ledger.Subagents{N: len(inside)}
	for _, s := range apart {
		if s.Usage != (sessions.Usage{}) {
			sub.N++
		}
		for _, c := range s.Billed() {
			others.Add(c)
		}
	}
	u.Cost = slices.Concat(own, others).Cost(f.Models)
	if sub.N > 0 {
		sub.Usage, sub.Dollars = others.Sum(), others.Cost(f.Models).Dollars
		u.Subagents = &sub
	}
	return nil
}
