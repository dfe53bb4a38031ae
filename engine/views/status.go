package views

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// maxNextCuts is how many of the next cuts a status names.
const maxNextCuts = 10

// Status implements ledger.Views.
func (l *Views) Status(ctx context.Context, r ledger.StatusRequest) (ledger.Status, error) {
	if err := core.CheckTexts("engine.status", core.Label("session", r.Session), core.Label("model", r.Model),
		core.Label("agent", r.Agent)); err != nil {
		return ledger.Status{}, err
	}
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.Status, error) {
		f, err := l.core.FoldFor(tx, r.Session, r.Reader, true)
		if err != nil {
			return ledger.Status{}, err
		}
		_, text, err := l.summaryMessage(ctx, f)
		if err != nil {
			return ledger.Status{}, err
		}
		g := gaugeOf(f, r.Model, unedited(f))
		w, err := l.windowOf(tx, f, r.Model)
		if err != nil {
			return ledger.Status{}, err
		}
		sends, err := l.sends(tx, f, g, &w)
		if err != nil {
			return ledger.Status{}, err
		}
		var apart []sessions.Session
		if !r.Brief || r.Cost {
			if apart, err = startedBy(tx, f.Session.ID); err != nil {
				return ledger.Status{}, err
			}
		}
		if r.Brief {
			use := briefUse(f, g, w, viewOf(g.shows, f, text))
			if r.Cost {
				spend(f, apart, &use)
				l.maskCost(use.Cost)
			}
			return ledger.Status{Use: use, Warned: warned(f), NextCuts: []ledger.NextCut{},
				NextClears: []ledger.NextCut{}, Agents: []ledger.AgentInput{}, Messages: []ledger.WindowMessage{}}, nil
		}
		st := ledger.Status{
			Use:   use(f, g, w, viewOf(g.shows, f, text), l.core.Now()),
			Total: f.Session.Usage, Agents: agentsOf(f), Warned: warned(f), SinceTurns: turns(f),
			Messages: messagesOf(f, g), Sends: sends, Off: f.Policy.Compact.Off,
		}
		if r.Counted {
			st.Counted = g.shows.Rates()
		}
		spend(f, apart, &st.Use)
		if st.Savings, st.Offloaded, err = savingsOf(tx, f, g.Counter, r.Tools); err != nil {
			return st, err
		}
		if st.Proxy, err = l.core.ProxyUse(tx, f.Session.ID); err != nil {
			return st, err
		}
		st.Calls = callsOf(f, st.Sends, l.core.Now())
		if st.Spent, err = l.core.Spent(tx, f.Session, ""); err != nil {
			return st, err
		}
		l.maskUse(&st.Use) // its names are paths and tools
		if w.Learned != nil || w.OutputCap > 0 {
			st.Limits = &w
		}
		next, err := l.decideOn(ctx, tx, f, ledger.EditViewRequest{Session: r.Session, Reader: r.Reader,
			Model: r.Model})
		if err != nil {
			return st, err
		}
		st.NextClears = l.nextClears(f, next.state, g.measure)
		if above := f.Policy.ClearAbove(w.Tokens); above > 0 {
			st.ClearsAt = g.limit(above)
		}
		st.NextStep, st.Waits = next.Made, next.Made.Waits(g.limit)
		st.NextStep.Edits = nil // a status has the sums, not each edit
		st.NextCuts, err = l.nextCuts(ctx, tx, f, r.Model, g.measure)
		return st, err
	})
}

// sends reports whether what is sent is the view: see ledger.Status.Sends. Then the window is compacted where the policy says.
func (l *Views) sends(tx kv.Tx, f *core.Folded, g gauge, w *ledger.Window) (sends bool, err error) {
	sends = f.Session.HostID == ""
	if !sends {
		sends, err = l.core.Reduces(tx, f.Session.ID)
	}
	if sends && !f.Policy.Compact.Off {
		w.CompactsAt, w.CompactsFrom = g.limit(f.Policy.Compact.Threshold(w.Tokens)), ledger.CompactsView
	}
	return sends, err
}

// nextCuts returns what a compaction that a person asks for now would remove from the view; none if it would do nothing.
func (l *Views) nextCuts(
	ctx context.Context, tx kv.Tx, f *core.Folded, model string, m measure,
) ([]ledger.NextCut, error) {
	out := []ledger.NextCut{}
	p, err := l.plan(ctx, tx, f, compaction.Options{Model: model, Reason: compaction.Manual}, nil)
	if err != nil || p.Outcome != compaction.Compacted {
		return out, err
	}
	for _, cut := range p.Record.Cut[:min(len(p.Record.Cut), maxNextCuts)] {
		out = append(out, ledger.NextCut{Label: cut.Label, Seq: cut.Seq, Tokens: m.Entry(cut.Seq, cut.Tokens)})
	}
	return out, nil
}
