package compacting

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// acceptAnswer accepts a plan with what came of asking a model. While the model wrote, the session went
// on: the plan is made again for the same range in the present log. Where nothing is accepted, what the
// model cost is booked on the session all the same.
func (l *Compactions) acceptAnswer(ctx context.Context, r ledger.AcceptCompactionRequest, m core.Mutation) (ledger.Summary, error) {
	if err := checkAnswer(r); err != nil {
		return ledger.Summary{}, err
	}
	l.Naming.RLock()
	defer l.Naming.RUnlock()
	for range limits.Plans {
		ready, err := core.View(ctx, l.Ledger, func(tx kv.Tx) (*accepted, error) { return l.answered(ctx, tx, r) })
		if err != nil {
			return ledger.Summary{}, err
		}
		s, err := core.Mutate(ctx, l.Ledger, m, func(tx kv.Tx) (ledger.Summary, []ledger.Event, error) { return l.conclude(ctx, tx, r, ready, m) })
		if !fault.Is(err, fault.Stale) {
			return s, err
		}
	}
	return ledger.Summary{}, fault.New(fault.Stale, "engine.accept", "session %s went on %d times while its compaction was written down", r.Session, limits.Plans).
		WithHint("compact again when the agent pauses")
}

// checkAnswer refuses an answer that nobody can have got.
func checkAnswer(r ledger.AcceptCompactionRequest) error {
	const op = "engine.accept"
	a := r.Answer
	if a == nil {
		return fault.New(fault.Invalid, op, "mode %s needs the answer of a model: plan, ask, then accept", r.Options.Mode)
	}
	if a.Run.Usage.Input < 0 || a.Run.Usage.Output < 0 || a.Run.Usage.CacheRead < 0 || a.Run.Usage.CacheWrite < 0 || a.Run.Calls < 0 {
		return fault.New(fault.Invalid, op, "the usage of an answer is negative")
	}
	return core.CheckTexts(op, core.Text{What: "summary", Value: a.Text, Most: maxAnswer}, core.Text{What: "summary of the turn", Value: a.Turn, Most: maxAnswer}, core.Text{What: "reason", Value: a.Run.Reason, Most: maxReason},
		core.Label("model", a.Run.Model), core.Label("range", a.Range), core.Label("status", string(a.Run.Status)))
}

const (
	maxAnswer = 1 << 20 // bytes of a summary: far more than any budget takes
	maxReason = 2_000   // bytes of why a model could not be asked
)

// answered makes the plan of an answer in the present log.
func (l *Compactions) answered(ctx context.Context, tx kv.Tx, r ledger.AcceptCompactionRequest) (*accepted, error) {
	f, err := l.FoldFor(tx, r.Session, r.Reader, true)
	if err != nil {
		return nil, err
	}
	in, err := l.compactionInput(ctx, tx, f, r.Options)
	if err != nil {
		return nil, err
	}
	p, err := compaction.Finish(in, r.Options, *r.Answer)
	if err != nil {
		return nil, err
	}
	return l.ready(ctx, tx, f, p, r.Options)
}

// spent sums what the entries of a range used, as providers reported it.
func spent(f *core.Folded, from, to int64) sessions.Usage {
	var sum sessions.Usage
	for _, e := range f.Entries[max(from, 1)-1 : min(to, int64(len(f.Entries)))] {
		sum = sum.Add(e.Spent())
	}
	return sum
}
