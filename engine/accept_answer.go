package engine

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// acceptAnswer accepts a plan with what came of asking a model. While the model wrote, the session went
// on: the plan is made again for the same range in the present log. Where nothing is accepted, what the
// model cost is booked on the session all the same.
func (l *Local) acceptAnswer(ctx context.Context, r ledger.AcceptCompactionRequest, m mutation) (ledger.Summary, error) {
	if err := checkAnswer(r); err != nil {
		return ledger.Summary{}, err
	}
	l.naming.RLock()
	defer l.naming.RUnlock()
	for range limits.Plans {
		ready, err := view(ctx, l, func(tx kv.Tx) (*accepted, error) { return l.answered(ctx, tx, r) })
		if err != nil {
			return ledger.Summary{}, err
		}
		s, err := mutate(ctx, l, m, func(tx kv.Tx) (ledger.Summary, []ledger.Event, error) { return l.conclude(ctx, tx, r, ready, m) })
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
	return checkTexts(op, text{"summary", a.Text, maxAnswer}, text{"summary of the turn", a.Turn, maxAnswer}, text{"reason", a.Run.Reason, maxReason},
		label("model", a.Run.Model), label("range", a.Range), label("status", string(a.Run.Status)))
}

const (
	maxAnswer = 1 << 20 // bytes of a summary: far more than any budget takes
	maxReason = 2_000   // bytes of why a model could not be asked
)

// answered makes the plan of an answer in the present log.
func (l *Local) answered(ctx context.Context, tx kv.Tx, r ledger.AcceptCompactionRequest) (*accepted, error) {
	f, err := l.foldFor(tx, r.Session, r.Reader, true)
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
func (f *folded) spent(from, to int64) sessions.Usage {
	var sum sessions.Usage
	for _, e := range f.entries[max(from, 1)-1 : min(to, int64(len(f.entries)))] {
		sum = sum.Add(e.Spent())
	}
	return sum
}
