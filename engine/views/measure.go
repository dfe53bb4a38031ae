package views

import (
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// measure counts the content of a session. Where requests tell how the provider counted an entry, it counts so; where they tell
// of others only, an entry counts as those usually do. Where that, or the counter's estimate, is more than the provider measured
// of all that the agent's own window holds, or where nothing shows it and the estimate is not much less, each part counts as a
// share of what was measured: relations are known better than sums. What is shown of one session is counted in one measure,
// whether the agent holds it or ctxledger would send it, unless the counter is exact. Decisions use the counter itself.
type measure struct {
	tokens.Counter
	shows   *window.Growth // of the session
	usually int            // what it usually is; 0: it tells nothing
	scale   tokens.Scale   // of what no request tells; 0: that of the counter
	more    int            // what the view has more than at scale, times tokens.Scaled
}

// mistaken is how much more than an estimate a measurement may be, in percent of it, without something that no record has: the
// estimate was too low.
const mistaken = 125

// fit returns the measure in which content has room tokens, if it has more as the provider counts, or so little less that the
// counter's estimate may be mistaken.
func (m measure) fit(c content, room int) measure {
	m.scale = tokens.Scale{}
	usual := m.Counter.Of(tokens.Scaled)
	if m.usually > 0 {
		m.scale = tokens.Scale{N: m.usually, Upper: max(m.usually, usual.Upper)}
	}
	estimate := m.sum(m.weigh(c).Total()).N
	limit := estimate
	if !m.Counter.Exact() && m.usually == 0 {
		limit = limit * mistaken / 100
	}
	switch {
	case room <= 0 || room >= limit || room == estimate:
	case m.usually > 0:
		m.scale.Room, m.scale.Among = room, estimate
	default:
		m.scale = tokens.Scale{N: int(int64(room) * tokens.Scaled / int64(c.Total())), Upper: usual.Upper}
	}
	return m
}

// believable is how many times smaller than the estimate a measurement may be: some gateways report 1 token for every request.
const believable = 4

// ofLedger returns the measure of what ctxledger would send: that of the agent's window, but what is exact stays so, and a
// measurement that is not believable is none. It is believed of content that no request of a window has room for: the agent
// sent less than was recorded.
func (m measure) ofLedger(own content, room int) measure {
	fits := room == 0 || m.Counter.Of(own.Total()).N <= room
	if m.Counter.Exact() || fits && m.Of(tokens.Scaled).N*believable < m.Counter.Of(tokens.Scaled).N {
		return measure{Counter: m.Counter, shows: m.shows}
	}
	return m
}

// ofView returns the measure that counts the whole of a view.
func (m measure) ofView(view content) measure {
	m.more = m.weigh(view).Total() - view.Total()*m.Scale().N
	return m
}

// Scale returns the measure in a form that can be sent.
func (m measure) Scale() tokens.Scale {
	if m.scale.N > 0 {
		return m.scale
	}
	return tokens.ScaleOf(m.Counter.Of(tokens.Scaled))
}

// Exact reports whether Of counts as the model's own tokenizer does.
func (m measure) Exact() bool { return m.scale.N == 0 && m.Counter.Exact() }

// weigh returns what content counts by kind, times tokens.Scaled.
func (m measure) weigh(c content) (w window.Fill) {
	base := m.Scale().N
	for kind, n := range c.Fill {
		if w[kind] = n * base; m.usually > 0 {
			w[kind] += c.counted[kind] - c.told[kind]*base
		}
		w[kind] = max(w[kind], 0)
	}
	return w
}

// part returns what some of an entry counts, times tokens.Scaled.
func (m measure) part(seq int64, o200k int) int {
	if rate := m.shows.Of(seq); m.usually > 0 && rate > 0 {
		return o200k * rate
	}
	return o200k * m.Scale().N
}

// sum returns the count of what was weighed.
func (m measure) sum(weight int) tokens.Count { return m.Scale().Total(tokens.Amount{Counted: weight}) }

// Of returns the count of content whose o200k_base count is known.
func (m measure) Of(o200k int) tokens.Count { return m.Scale().Of(o200k) }

// Entry returns the count of some of an entry.
func (m measure) Entry(seq int64, o200k int) tokens.Count { return m.sum(m.part(seq, o200k)) }

// View returns the count of the view, whose size is known, as edits leave it.
func (m measure) View(o200k int, edits []window.Edit) tokens.Count {
	n := o200k*m.Scale().N + m.more
	for _, e := range edits {
		n -= m.part(e.Seq, e.Before-e.Tokens)
	}
	return m.sum(n)
}

// between returns what content has from one weight up to another, so that it and the smaller one are the larger.
func (m measure) between(from, to int) tokens.Count {
	less, all := m.sum(from), m.sum(max(from, to))
	return tokens.Count{N: all.N - less.N, Exact: all.Exact, Upper: max(all.N-less.N, all.Upper-less.Upper)}
}

// gauge is what is known of the agent's own window, and the measure that follows from it.
type gauge struct {
	measure
	agents  measure           // of that window: its parts add up to what was measured, also with an exact counter
	whole   window.View       // as if nothing had been cut
	cleared map[string]int    // results that the host has cleared: see window.View.Cleared
	own     content           // what the conversation is made of as the agent has it
	fixed   *tokens.Count     // what every request carries besides; nil: not known
	decides int               // the same as decisions have it, by the counter's estimate
	midway  bool              // that has messages of before the first that is recorded
	carries []ledger.Category // that, and what the host attached
	held    *tokens.Count     // what the window holds; nil: nothing was measured
}

// limit returns a limit of a whole request, with which a decision compares the counter's estimate, in the measure of what is
// shown: where the request would have so much.
func (g gauge) limit(estimate int) int {
	all := g.Counter.Of(tokens.Scaled).N
	if g.scale.N == 0 || all == 0 {
		return estimate
	}
	fixed := 0
	if g.fixed != nil {
		fixed = g.fixed.N
	}
	return fixed + g.View(max(estimate-g.decides, 0)*tokens.Scaled/all, nil).N
}

// measureOf returns the measure of a session for a model; "": its own.
func measureOf(f *core.Folded, model string) measure { return gaugeOf(f, model, unedited(f)).measure }

// gaugeOf returns what is known of the agent's own window. whole is the view as if nothing had been cut.
func gaugeOf(f *core.Folded, model string, whole window.View) gauge {
	c := f.Counter(model)
	m := measure{Counter: c}
	m.shows, m.usually = f.Growth(model)
	g := gauge{measure: m, agents: m, whole: whole, cleared: whole.Cleared(f.Entries)}
	g.own = ownContent(m.shows, f.Entries, whole, g.cleared)
	usual := counting(c)
	if m.usually > 0 {
		usual = tokens.Scale{N: m.usually}
	}
	if fixed, known := fixedInput(f, c); known {
		g.decides = fixed.N
	}
	if fixed, known := fixedInput(f, usual); known {
		now, after := besides(f, usual, f.View.HostCut)
		cut := f.View.HostCut > 0 && after
		g.fixed, g.midway = &fixed, !cut && midway(f.Entries)
		name := ledger.Use{Midway: g.midway}.FixedName()
		g.carries = append(g.carries, ledger.Category{Name: name, Tokens: fixed})
		if cut && now.N > fixed.N {
			now.N, now.Upper = now.N-fixed.N, max(now.N, now.Upper)-fixed.N
			g.carries = append(g.carries, ledger.Category{Name: ledger.CategoryAttached, Tokens: now})
		}
	}
	if held, cleared, known := held(f, c, g.fixed); known {
		if cleared > 0 { // in the measure of the window that had it
			before := m.fit(ownContent(m.shows, f.Entries, whole, nil), held.N-total(g.carries).N)
			held.N = max(0, held.N-before.Of(cleared).N)
		}
		g.held, g.agents = &held, m.fit(g.own, held.N-total(g.carries).N)
		room, _ := f.Models.Window(c.Model())
		g.measure = g.agents.ofLedger(g.own, room).ofView(contentOf(m.shows, f.View.Slots))
	}
	return g
}

// account returns the parts of what a window holds: the conversation, what the requests carry besides, and what nothing
// accounts for. Where a measurement is less than the requests before it carried, each part is a share of it.
func account(conversation, carries []ledger.Category, held tokens.Count) []ledger.Category {
	out := slices.Concat(conversation, carries)
	known := total(out)
	if rest := held.N - known.N; rest > 0 {
		out = append(out, ledger.Category{Name: ledger.CategoryRest,
			Tokens: tokens.Count{N: rest, Exact: held.Exact && known.Exact, Upper: max(rest, held.Upper-known.Upper)}})
	} else if rest < 0 {
		upTo := 0
		share := func(n int) int { return int(int64(n) * int64(held.N) / int64(known.N)) }
		for i := range out {
			n := &out[i].Tokens
			from := upTo
			upTo += n.N
			*n = tokens.Count{N: share(upTo) - share(from), Upper: n.Upper} // so that roundings do not add up
		}
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
