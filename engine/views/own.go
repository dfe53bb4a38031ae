package views

import (
	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// own returns what fills the agent's own window. whole is the view as if nothing had been cut, and u has the rest of
// what is known.
func own(f *core.Folded, c tokens.Counter, whole window.View, u ledger.Use) ([]ledger.Category, []ledger.Source) {
	out := categories(c, ownFill(f, whole))
	besidesThem := 0
	add := func(name string, n tokens.Count) {
		out, besidesThem = append(out, ledger.Category{Name: name, Tokens: n}), besidesThem+n.N
	}
	conversation := len(out)
	if u.Fixed != nil && u.Fixed.N > 0 {
		add(ledger.CategoryFixed, *u.Fixed)
	}
	if now, known := besides(f, c, f.View.Host); known && f.View.Host > 0 && u.Fixed != nil && now.N > u.Fixed.N {
		now.N, now.Upper = now.N-u.Fixed.N, max(now.N, now.Upper)-u.Fixed.N
		add(ledger.CategoryAttached, now)
	}
	origins := sources(f, c, whole.Slots, entire)
	fit(out[:conversation], origins, u.Held.N-besidesThem)
	rest := u.Held
	for _, x := range out {
		rest.N, rest.Upper = rest.N-x.Tokens.N, rest.Upper-x.Tokens.N
		rest.Exact = rest.Exact && x.Tokens.Exact
	}
	if rest.N > len(out) { // less is a rounding of each
		rest.Upper = max(rest.N, rest.Upper)
		out = append(out, ledger.Category{Name: ledger.CategoryRest, Tokens: rest})
	}
	return out, origins
}

// fit scales estimates that are together more than what was measured, and those of their origins with them: their
// relations are known better than their sum.
func fit(parts []ledger.Category, origins []ledger.Source, measured int) {
	sum := 0
	for _, p := range parts {
		sum += p.Tokens.N
	}
	if sum <= measured || measured <= 0 {
		return
	}
	scale := func(c *tokens.Count) {
		n := int(int64(c.N) * int64(measured) / int64(sum))
		*c = tokens.Count{N: n, Upper: max(n, c.Upper)}
	}
	for i := range parts {
		scale(&parts[i].Tokens)
	}
	for i := range origins {
		scale(&origins[i].Tokens)
	}
}

// ownFill is what the conversation is made of as the agent has it: with whole results instead of our stubs, and with
// its host's summary apart from the user's words.
func ownFill(f *core.Folded, whole window.View) window.Fill {
	fill := whole.Fill
	fill[window.Results] += fill[window.Stubs] + whole.Stubbed
	fill[window.Stubs] = 0
	if whole.Host > 0 {
		n := min(f.Entries[whole.Host-1].Tokens, fill[window.User])
		fill[window.User] -= n
		fill[window.Summary] += n
	}
	return fill
}
