package compacting

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/engine/views"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// maxNextCuts is how many of the next cuts a status names.
const maxNextCuts = 10

// Status implements ledger.Views.
func (l *Compactions) Status(ctx context.Context, r ledger.StatusRequest) (ledger.Status, error) {
	if err := core.CheckTexts("engine.status", core.Label("session", r.Session), core.Label("model", r.Model),
		core.Label("agent", r.Agent)); err != nil {
		return ledger.Status{}, err
	}
	return core.View(ctx, l.Ledger, func(tx kv.Tx) (ledger.Status, error) {
		f, err := l.FoldFor(tx, r.Session, r.Reader, true)
		if err != nil {
			return ledger.Status{}, err
		}
		_, text, err := l.SummaryMessage(ctx, f)
		if err != nil {
			return ledger.Status{}, err
		}
		c := f.Counter(r.Model)
		w, err := l.WindowOf(tx, f, r.Model)
		if err != nil {
			return ledger.Status{}, err
		}
		if r.Brief {
			use := views.BriefUse(f, c, w, views.Filled(f, text))
			return ledger.Status{Use: use, Warned: views.Warned(f), NextCuts: []ledger.NextCut{},
				Agents: []ledger.AgentInput{}}, nil
		}
		st := ledger.Status{
			Use:   views.Use(f, c, w, views.Filled(f, text), views.Unedited(f)),
			Total: f.Session.Usage, Agents: views.Agents(f), Warned: views.Warned(f), SinceTurns: views.Turns(f),
		}
		if err := views.Spend(tx, f, &st.Use); err != nil {
			return st, err
		}
		if st.Savings, err = views.Savings(tx, f, c, r.Tools); err != nil {
			return st, err
		}
		l.MaskUse(&st.Use) // its names are paths and tools
		if w.Learned != nil || w.OutputCap > 0 {
			st.Limits = &w
		}
		next, err := l.DecideOn(ctx, tx, f, ledger.EditViewRequest{Session: r.Session, Reader: r.Reader,
			Model: r.Model})
		if err != nil {
			return st, err
		}
		st.Next = next.Made
		st.Next.Edits = nil // a status has the sums, not each edit
		st.NextCuts, err = l.nextCuts(ctx, tx, f, r.Model, c)
		return st, err
	})
}

// nextCuts returns what the next compaction would remove from the view.
func (l *Compactions) nextCuts(
	ctx context.Context, tx kv.Tx, f *core.Folded, model string, c tokens.Counter,
) ([]ledger.NextCut, error) {
	out := []ledger.NextCut{}
	p, err := l.plan(ctx, tx, f, compaction.Options{Model: model}, nil)
	if err != nil {
		return out, err
	}
	for _, cut := range p.Record.Cut[:min(len(p.Record.Cut), maxNextCuts)] {
		out = append(out, ledger.NextCut{Label: cut.Label, Seq: cut.Seq, Tokens: c.Of(cut.Tokens)})
	}
	return out, nil
}
