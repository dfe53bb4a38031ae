package engine

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
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
