package views

import (
	"cmp"
	"slices"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// use reports what fills the window, and what reading it costs at a time. Spend adds what the session cost so far.
func use(f *core.Folded, g gauge, w ledger.Window, filled content, now time.Time) ledger.Use {
	u := briefUse(f, g, w, filled)
	ours, own := sources(f, g.measure, f.View.Slots, stubbed), g.own
	u.OwnSources = ownSources(f, g, ours)
	if g.held == nil {
		own = filled
	}
	u.Own = account(categories(g.agents, own, filled), g.carries, u.Held)
	u.Categories, u.Sources = categories(g.measure, filled, own), most(ours)
	u.Saved = g.between(g.weigh(filled).Total(), g.weigh(g.own).Total())
	next(f, &u, now)
	return u
}

// briefUse is Use without categories, sources, savings and what the session cost.
func briefUse(f *core.Folded, g gauge, w ledger.Window, filled content) ledger.Use {
	u := ledger.Use{
		Session: f.Session, Model: g.Model(), Counting: g.Quality(), Window: w.Tokens,
		Used:       g.View(filled.Total(), nil),
		Threshold:  g.limit(f.Policy.Compact.Threshold(w.Tokens)),
		CompactsAt: w.CompactsAt, CompactsFrom: w.CompactsFrom,
		WindowFrom: w.From, Windows: w.Likely,
		Categories: []ledger.Category{}, Own: []ledger.Category{},
		Sources: []ledger.Source{}, OwnSources: []ledger.Source{}, Fixed: g.fixed, Midway: g.midway,
		Scale: g.agents.Scale(),
	}
	if cur := f.Current(); cur != nil {
		u.Summary, u.Became = cur.ID, figuresOf(f, cur).String()
	}
	newest, _ := newestMeasured(f, func(i int) bool { return f.Entries[i].Seq > f.View.HostCut })
	u.Measured = newest.tokens()
	if u.Held = sum(u.Used, total(g.carries)); g.held != nil {
		u.Held = *g.held
	}
	u.Cut = cutSince(f)
	carrying(f, &u)
	return u
}

// figuresOf returns the figures that were recorded with a compaction. Where a version before recorded none, they are
// estimates by what is known of the model without measurements, and lack the size of the text.
func figuresOf(f *core.Folded, r *compaction.Record) compaction.Counted {
	if r.Figures != nil {
		return *r.Figures
	}
	return compaction.Unrecorded(f.Models.For(cmp.Or(r.Model, f.Session.Model)), r.Before, r.After, 0)
}

// unedited returns the view as if nothing had been cut, edited or left out.
func unedited(f *core.Folded) window.View {
	if untouched(f) {
		return f.View
	}
	return window.Plan(window.Input{Entries: f.Entries})
}

// untouched reports whether nothing of the view was cut, edited or left out.
func untouched(f *core.Folded) bool {
	return f.Cutoff() == nil && len(f.Edits()) == 0 && f.Policy.Filter.Empty()
}

// categories returns what fills a view, largest first. They add up to the whole view. What another view has as much of is
// counted first, so that it has the same figure there.
func categories(m measure, all, beside content) []ledger.Category {
	kinds, filled, other := all.Kinds(), m.weigh(all), m.weigh(beside)
	same := func(kind window.Content) bool { return filled[kind] == other[kind] }
	slices.Sort(kinds)
	kinds = slices.Concat(slices.DeleteFunc(slices.Clone(kinds), func(k window.Content) bool { return !same(k) }),
		slices.DeleteFunc(kinds, same))
	out := make([]ledger.Category, 0, len(kinds))
	upTo := 0
	for _, kind := range kinds {
		n := m.between(upTo, upTo+filled[kind]) // so that roundings do not add up
		out, upTo = append(out, ledger.Category{Name: kind.String(), Tokens: n}), upTo+filled[kind]
	}
	slices.SortFunc(out, func(a, b ledger.Category) int {
		return cmp.Or(cmp.Compare(b.Tokens.N, a.Tokens.N), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// callsIn returns the calls of an entry that a slot shows.
func callsIn(slot window.Slot, e *sessions.Entry) []sessions.Call {
	if len(slot.DropCalls) == 0 {
		return e.Calls
	}
	dropped := func(c sessions.Call) bool { return slices.Contains(slot.DropCalls, c.ID) }
	return slices.DeleteFunc(slices.Clone(e.Calls), dropped)
}

// resultsIn returns the results of an entry in a slot, none where only texts are shown.
func resultsIn(slot window.Slot, e *sessions.Entry) []sessions.Result {
	if slot.TextOnly {
		return nil
	}
	return e.Results
}

// shown are the edits of a slot.
type shown []window.Edit

// tokens returns the size of a part as it is shown, or whole where it was not edited.
func (s shown) tokens(seq int64, call string, part window.Part, whole int) int {
	for _, e := range s {
		if e.Seq == seq && e.Call == call && e.Part == part {
			return e.Tokens
		}
	}
	return whole
}

// turns counts the user's requests in the view.
func turns(f *core.Folded) int {
	n := 0
	for _, s := range f.View.Slots {
		if s.Prompt {
			n++
		}
	}
	return n
}
