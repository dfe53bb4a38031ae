package compacting

import (
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// checkAnswer refuses a missing answer, and one that no model can have given.
func checkAnswer(r ledger.AcceptCompactionRequest) error {
	const op = "engine.accept"
	a := r.Answer
	if !r.Options.Mode.Asks() && a == nil {
		return nil
	}
	if a == nil {
		return fault.New(fault.Invalid, op, "mode %s needs the answer of a model: plan, ask, then accept", r.Options.Mode)
	}
	if a.Run.Usage.Input < 0 || a.Run.Usage.Output < 0 || a.Run.Usage.CacheRead < 0 || a.Run.Usage.CacheWrite < 0 || a.Run.Calls < 0 {
		return fault.New(fault.Invalid, op, "the usage of an answer is negative")
	}
	return core.CheckTexts(op, core.Text("summary", a.Text, maxAnswer), core.Text("summary of the turn", a.Turn, maxAnswer), core.Text("reason", a.Run.Reason, maxReason),
		core.Label("model", a.Run.Model), core.Label("range", a.Range), core.Label("status", string(a.Run.Status)))
}

const (
	maxAnswer = 1 << 20 // bytes of a summary: far more than any budget takes
	maxReason = 2_000   // bytes of why a model could not be asked
)

// spent sums what the entries of a range used, as providers reported it.
func spent(f *core.Folded, from, to int64) sessions.Usage {
	var sum sessions.Usage
	for _, e := range f.Entries[max(from, 1)-1 : min(to, int64(len(f.Entries)))] {
		sum = sum.Add(e.Spent())
	}
	return sum
}
