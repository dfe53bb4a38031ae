package views

import (
	"ctxledger.dev/engine/core"
	"ctxledger.dev/sessions"
)

// million is how many tokens list prices are for.
const million = 1_000_000

// carrying returns how many requests of the main conversation were measured, and what a million tokens at the front of
// each of them cost: see ledger.Use.
func carrying(f *core.Folded) (int, *float64) {
	var r asking
	var asked []sessions.Usage
	for i := range f.Entries {
		e := &f.Entries[i]
		n, ok := r.of(e)
		if !ok {
			continue
		}
		if n == len(asked) {
			asked = append(asked, sessions.Usage{})
		}
		asked[n] = asked[n].Add(*e.Usage)
	}
	var paid sessions.Usage
	for _, u := range asked {
		switch {
		case u.Prompt() == 0:
		case u.CacheRead > 0:
			paid.CacheRead += million
		case u.CacheLong > 0:
			paid.CacheWrite += million
			paid.CacheLong += million
		case u.CacheWrite > 0:
			paid.CacheWrite += million
		default:
			paid.Input += million
		}
	}
	return r.n, charged(f, paid)
}

// charged returns what tokens of the session's model cost under the usual terms; nil where that is not known.
func charged(f *core.Folded, u sessions.Usage) *float64 {
	return sessions.Bill{{Model: f.Session.Model, Usage: u}}.Cost(f.Models).Dollars
}
