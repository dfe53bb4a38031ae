package views

import (
	"ctxledger.dev/engine/core"
	"ctxledger.dev/sessions"
)

// million is how many tokens list prices are for.
const million = 1_000_000

// carrying returns how many answers of the main conversation were measured, and what a million tokens at the front of
// each of their requests cost: see ledger.Use.
func carrying(f *core.Folded) (requests int, dollars *float64) {
	var paid sessions.Usage // for one token in each request
	group := ""
	var asked sessions.Usage
	end := func() {
		switch {
		case asked.Prompt() == 0:
			return
		case asked.CacheRead > 0:
			paid.CacheRead++
		case asked.CacheLong > 0:
			paid.CacheWrite++
			paid.CacheLong++
		case asked.CacheWrite > 0:
			paid.CacheWrite++
		default:
			paid.Input++
		}
		requests++
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		if !e.Measured() || e.Hidden || e.Copied {
			continue
		}
		if e.Group == "" || e.Group != group {
			end()
			asked, group = sessions.Usage{}, e.Group
		}
		asked = asked.Add(*e.Usage)
	}
	end()
	if requests == 0 {
		return requests, nil
	}
	return requests, charged(f, sessions.Usage{Input: paid.Input * million,
		CacheRead: paid.CacheRead * million, CacheWrite: paid.CacheWrite * million,
		CacheLong: paid.CacheLong * million})
}

// charged returns what tokens of the session's model cost under the usual terms; nil where that is not known.
func charged(f *core.Folded, u sessions.Usage) *float64 {
	return sessions.Bill{{Model: f.Session.Model, Usage: u}}.Cost(f.Models).Dollars
}
