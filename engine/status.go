package engine

import (
	"cmp"
	"context"
	"slices"

	"ctxledger.dev/compaction"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// maxNextCuts is how many of the next cuts a status names.
const maxNextCuts = 10

// Status implements API.
func (l *Local) Status(ctx context.Context, r ledger.StatusRequest) (ledger.Status, error) {
	if err := checkTexts("engine.status", label("session", r.Session), label("model", r.Model), label("agent", r.Agent)); err != nil {
		return ledger.Status{}, err
	}
	return view(ctx, l, func(tx kv.Tx) (ledger.Status, error) {
		f, err := l.foldFor(tx, r.Session, r.Reader, true)
		if err != nil {
			return ledger.Status{}, err
		}
		_, text, err := l.summaryMessage(ctx, f)
		if err != nil {
			return ledger.Status{}, err
		}
		c := f.counter(r.Model)
		w, err := l.windowOf(tx, f, r.Model)
		if err != nil {
			return ledger.Status{}, err
		}
		if r.Brief {
			return ledger.Status{Use: f.room(c, w, f.filled(text)), NextCuts: []ledger.NextCut{}, Agents: []ledger.AgentInput{}}, nil
		}
		st := ledger.Status{Use: f.use(c, w, f.filled(text), f.unedited()), Total: f.session.Usage, Agents: f.agents(), SinceTurns: f.turns()}
		l.maskUse(&st.Use) // its names are paths and tools
		if w.Learned != nil || w.OutputCap > 0 {
			st.Limits = &w
		}
		next, err := l.decideOn(ctx, tx, f, ledger.EditViewRequest{Session: r.Session, Reader: r.Reader, Model: r.Model})
		if err != nil {
			return st, err
		}
		st.Next = next.made
		st.Next.Edits = nil // a status says how much, not what of each message
		st.NextCuts, err = l.nextCuts(ctx, tx, f, r.Model, c)
		return st, err
	})
}

// use tells what fills the window. whole is the view as if nothing had been cut.
func (f *folded) use(c tokens.Counter, w ledger.Window, filled window.Fill, whole window.View) ledger.Use {
	u := f.room(c, w, filled)
	u.Categories, u.Sources = categories(c, filled), f.sources(c)
	u.Saved = c.Of(max(0, whole.Tokens+whole.Stubbed-filled.Total()))
	return u
}

// room is use without what fills the window, and what was saved.
func (f *folded) room(c tokens.Counter, w ledger.Window, filled window.Fill) ledger.Use {
	u := ledger.Use{
		Session: f.session, Model: c.Model(), Counting: c.Quality(), Window: w.Tokens, Used: c.Of(filled.Total()),
		Threshold: f.policy.Compact.Threshold(w.Tokens), Categories: []ledger.Category{}, Sources: []ledger.Source{},
	}
	if cur := f.current(); cur != nil {
		u.Summary = cur.ID
	}
	if fixed, known := f.fixed(c); known {
		u.Fixed = &fixed
	}
	u.Measured, _ = f.newestMeasured(anyEntry)
	u.Held = f.held(c, u)
	return u
}

// filled returns what fills the view, with the summary that it starts with.
func (f *folded) filled(summary string) window.Fill {
	if f.current() == nil {
		return f.view.Fill
	}
	return f.view.Fill.With(window.Summary, summaryTokens(summary))
}

// unedited returns the view as if nothing had been cut, edited or left out.
func (f *folded) unedited() window.View {
	if f.untouched() {
		return f.view
	}
	return window.Plan(window.Input{Entries: f.entries})
}

// untouched reports whether nothing of the view was cut, edited or left out.
func (f *folded) untouched() bool {
	return f.cutoff() == nil && len(f.edits()) == 0 && f.policy.Filter.Empty()
}

// categories tells what fills a view, largest first. Together they are the whole view.
func categories(c tokens.Counter, filled window.Fill) []ledger.Category {
	kinds := filled.Kinds()
	slices.SortStableFunc(kinds, func(a, b window.Content) int {
		return cmp.Or(cmp.Compare(filled[b], filled[a]), cmp.Compare(a.String(), b.String()))
	})
	out := make([]ledger.Category, 0, len(kinds))
	upTo, before := 0, c.Of(0)
	for _, kind := range kinds {
		upTo += filled[kind]
		n := c.Of(upTo) // so that roundings do not add up
		out = append(out, ledger.Category{Name: kind.String(), Tokens: tokens.Count{N: n.N - before.N, Exact: n.Exact, Upper: n.Upper - before.Upper}})
		before = n
	}
	return out
}

// callsIn returns the calls of an entry that a slot shows.
func callsIn(slot window.Slot, e *sessions.Entry) []sessions.Call {
	if len(slot.DropCalls) == 0 {
		return e.Calls
	}
	return slices.DeleteFunc(slices.Clone(e.Calls), func(c sessions.Call) bool { return slices.Contains(slot.DropCalls, c.ID) })
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

// tokens returns what is shown of a part, or whole where it was not edited.
func (s shown) tokens(seq int64, call string, part window.Part, whole int) int {
	for _, e := range s {
		if e.Seq == seq && e.Call == call && e.Part == part {
			return e.Tokens
		}
	}
	return whole
}

// turns counts the user's requests in the view.
func (f *folded) turns() int {
	n := 0
	for _, s := range f.view.Slots {
		if s.Prompt {
			n++
		}
	}
	return n
}

// nextCuts returns what the next compaction would take out of the view.
func (l *Local) nextCuts(ctx context.Context, tx kv.Tx, f *folded, model string, c tokens.Counter) ([]ledger.NextCut, error) {
	out := []ledger.NextCut{}
	p, err := l.plan(ctx, tx, f, compaction.Options{Model: model})
	if err != nil {
		return out, err
	}
	for _, cut := range p.Record.Cut {
		if len(out) == maxNextCuts {
			break
		}
		out = append(out, ledger.NextCut{Label: cut.Label, Seq: cut.Seq, Tokens: c.Of(cut.Tokens)})
	}
	return out, nil
}
