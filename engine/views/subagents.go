package views

import (
	"cmp"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Spend adds what a session cost so far, with its subagents as a part of it: those in its own log, and those that are
// sessions of their own. What they took is charged at the prices of their models.
func Spend(tx kv.Tx, f *core.Folded, u *ledger.Use) error {
	by, inside := map[string]sessions.Usage{}, map[string]sessions.Usage{} // by model; by name
	own := f.Session.Usage
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Hidden && e.Author != "" && e.Measured() && !e.Copied {
			model := cmp.Or(e.Model, f.Session.Model)
			by[model] = by[model].Add(*e.Usage)
			inside[e.Author] = inside[e.Author].Add(*e.Usage)
			own = own.Minus(*e.Usage)
		}
	}
	apart, err := startedBy(tx, f.Session.ID)
	if err != nil {
		return err
	}
	sub := ledger.Subagents{N: len(inside)}
	for _, s := range apart {
		if s.Usage != (sessions.Usage{}) {
			sub.N++
			by[s.Model] = by[s.Model].Add(s.Usage)
		}
	}
	u.Dollars = dollars(f, map[string]sessions.Usage{f.Session.Model: own})
	if sub.N == 0 {
		return nil
	}
	for _, used := range by {
		sub.Usage = sub.Usage.Add(used)
	}
	if sub.Dollars = dollars(f, by); sub.Dollars != nil && u.Dollars != nil {
		*u.Dollars += *sub.Dollars
	}
	u.Subagents = &sub
	return nil
}

// dollars returns what was used of models at list prices; nil where a price is not known, or nothing was used.
func dollars(f *core.Folded, by map[string]sessions.Usage) *float64 {
	sum, some := 0.0, false
	for name, used := range by {
		if used == (sessions.Usage{}) {
			continue
		}
		model, known := f.Models.Lookup(name)
		if !known {
			return nil
		}
		cost := used.Dollars(model.Price)
		if cost == nil {
			return nil
		}
		sum, some = sum+*cost, true
	}
	if !some {
		return nil
	}
	return &sum
}

// startedBy returns the sessions of the subagents of a session, and of theirs.
func startedBy(tx kv.Tx, id string) (out []sessions.Session, err error) {
	all, err := sessions.List(tx)
	if err != nil {
		return nil, err
	}
	of := map[string]bool{id: true}
	for more := true; more; {
		more = false
		for _, s := range all {
			if of[s.Parent] && !of[s.ID] {
				of[s.ID], more = true, true
				out = append(out, s)
			}
		}
	}
	return out, nil
}
