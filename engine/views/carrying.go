package views

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// million is how many tokens list prices are for.
const million = 1_000_000

// carrying adds how many requests of the main conversation were measured, and what a million tokens at the front of them
// cost: see ledger.Use. Requests that cannot have carried all that is fixed, without a price, or of models that count it in
// other tokens are left out.
func carrying(f *core.Folded, u *ledger.Use) {
	asked := asked(f)
	if u.Requests = len(asked); u.Fixed == nil {
		return
	}
	own, _ := f.Models.Lookup(f.Session.Model)
	paid := sessions.Bill{}
	for _, bill := range asked {
		c := request(bill)
		m, _ := f.Models.Lookup(c.Model)
		c.Usage = front(c.Usage, u.Fixed.N)
		if c.Usage != (sessions.Usage{}) && m.Encoding == own.Encoding && m.Family == own.Family &&
			f.Models.Rates(c.Model, c.Terms).Known {
			paid = append(paid, c)
		}
	}
	u.CarriedBy, u.CarriedDollars = len(paid), paid.Cost(f.Models).Dollars
}

// asked returns what each request of the main conversation was charged that was measured.
func asked(f *core.Folded) (out []sessions.Bill) {
	var r asking
	for i := range f.Entries {
		e := &f.Entries[i]
		n, ok := r.of(e)
		if !ok {
			continue
		}
		if n == len(out) {
			out = append(out, nil)
		}
		for _, c := range e.Billed() {
			c.Model = cmp.Or(c.Model, f.Session.Model)
			out[n].Add(c)
		}
	}
	return out
}

// request returns the charge of an answer's first call: those after it are of tools that the provider runs, and advisors.
func request(b sessions.Bill) (c sessions.Charge) {
	if i := slices.IndexFunc(b, func(c sessions.Charge) bool { return c.Prompt() > 0 }); i >= 0 {
		c = b[i]
	}
	return c
}

// front returns a million tokens as a request paid for the fixed ones at its front; nothing if it had not as many. They were
// read from the provider's cache as far as that reached, else paid as the rest of the request was: they never cost more than it.
func front(u sessions.Usage, fixed int) sessions.Usage {
	if u.Prompt() == 0 || u.Prompt() < fixed {
		return sessions.Usage{}
	}
	read := int64(million)
	if u.CacheRead < int64(fixed) {
		read = u.CacheRead * million / int64(fixed)
	}
	rest, others := million-read, max(u.Input+u.CacheWrite, 1)
	written, long := rest*u.CacheWrite/others, rest*u.CacheLong/others
	return sessions.Usage{CacheRead: read, Input: rest - written, CacheWrite: written, CacheLong: long}
}

// next adds what the next request pays for the window at a time: under the terms of the newest one, and those of its size.
func next(f *core.Folded, u *ledger.Use, now time.Time) {
	var own sessions.Usage
	for _, c := range f.Session.Billed() {
		if c.Model == f.Session.Model {
			own = own.Add(c.Usage)
		}
	}
	if own == (sessions.Usage{}) {
		return
	}
	held := int64(u.Held.N)
	c := sessions.Charge{Model: f.Session.Model, Usage: sessions.Usage{Input: held}}
	cache := cachedAt(f.Entries, time.Time{}, now)
	model, _ := f.Models.Lookup(f.Session.Model)
	unasked := cachesUnasked(model) && held >= cacheLeast && !cache.missed
	switch u.NextBy = ledger.NextUncached; {
	case own.CacheRead+own.CacheWrite == 0 && !unasked:
	case !cache.cold && cache.kept == cache.had:
		u.NextBy, c.Usage = ledger.NextRead, sessions.Usage{CacheRead: held}
	default:
		u.NextBy = ledger.NextAnew
		if cache.kept > 0 {
			u.NextBy = ledger.NextPart
		}
		kept := min(cache.kept, held)
		c.Usage = sessions.Usage{CacheRead: kept, CacheWrite: held - kept}
		if cache.long {
			c.CacheLong = held - kept
		}
	}
	var named string
	if all := asked(f); len(all) > 0 {
		named = request(all[len(all)-1]).Terms.Named
	}
	c.Terms = tokens.TermsOf(held, strings.Fields(named)...)
	u.NextDollars = sessions.Bill{c}.Cost(f.Models).Dollars
}
