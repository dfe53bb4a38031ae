package views

import (
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// own returns what fills the agent's own window. whole is the view as if nothing had been cut, ours are the sources of the
// view, and u has the rest of what is known.
func own(
	f *core.Folded, c tokens.Counter, whole window.View, u ledger.Use, ours []ledger.Source,
) ([]ledger.Category, []ledger.Source) {
	var carries []ledger.Category
	if u.Fixed != nil && u.Fixed.N > 0 {
		carries = append(carries, ledger.Category{Name: ledger.CategoryFixed, Tokens: *u.Fixed})
	}
	if now, known := besides(f, c, f.View.Host); known && f.View.Host > 0 && u.Fixed != nil && now.N > u.Fixed.N {
		now.N, now.Upper = now.N-u.Fixed.N, max(now.N, now.Upper)-u.Fixed.N
		carries = append(carries, ledger.Category{Name: ledger.CategoryAttached, Tokens: now})
	}
	origins := most(sources(f, c, whole.Slots, entire))
	for i := range origins {
		same := func(s ledger.Source) bool { return s.Kind == origins[i].Kind && s.Name == origins[i].Name }
		if at := slices.IndexFunc(ours, same); at >= 0 {
			origins[i].Sent = ours[at].Tokens
		}
	}
	return account(categories(c, ownFill(f, whole)), carries, origins, u.Held), origins
}

// account returns the parts of what a window holds: the conversation, scaled where it is more than there is, with its
// origins; what the requests carry besides; and what nothing accounts for.
func account(
	conversation, carries []ledger.Category, origins []ledger.Source, held tokens.Count,
) []ledger.Category {
	fit(conversation, origins, held.N-total(carries).N)
	out := slices.Concat(conversation, carries)
	known := total(out)
	if rest := held.N - known.N; rest > len(out) { // less is a rounding of each
		out = append(out, ledger.Category{Name: ledger.CategoryRest,
			Tokens: tokens.Count{N: rest, Exact: held.Exact && known.Exact, Upper: max(rest, held.Upper-known.Upper)}})
	}
	return out
}

// total is the sum of categories.
func total(list []ledger.Category) tokens.Count {
	n := tokens.Count{Exact: true}
	for _, x := range list {
		n = sum(n, x.Tokens)
	}
	return n
}

// held returns what the agent's own window held at the end of a turn, and of what: measured, unless the host compacted
// after the last answer; without any measurement the view. u is what is known now, after its host's compaction in host.
func (t *turnStat) held(c tokens.Counter, u ledger.Use, host int64) (tokens.Count, []ledger.Category) {
	conversation := categories(c, t.own)
	var carries []ledger.Category
	for _, x := range u.Own {
		if x.Name == ledger.CategoryFixed || x.Name == ledger.CategoryAttached && t.host == host {
			carries = append(carries, x)
		}
	}
	held := sum(total(conversation), total(carries))
	switch n := int(t.measured.tokens); {
	case n > 0 && !t.cut:
		held = tokens.Count{N: n, Exact: true, Upper: n}
	case !t.known: // as for the function held
		held = sum(c.Of(t.filled.Total()), total(carries))
	}
	return held, account(conversation, carries, nil, held)
}

// fit scales estimates that are together more than what was measured, and those of their origins with them: their
// relations are known better than their sum.
func fit(parts []ledger.Category, origins []ledger.Source, measured int) {
	sum := total(parts).N
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
		scale(&origins[i].Sent)
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
