package views

import (
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// checkAnswer refuses a missing answer, and one with impossible values.
func checkAnswer(r ledger.AcceptCompactionRequest) error {
	const op = "engine.accept"
	a := r.Answer
	switch asks := r.Options.Mode.Asks(); {
	case !asks && a == nil:
		return nil
	case !asks:
		return fault.New(fault.Invalid, op, "mode %s does not take an answer from a model", r.Options.Mode)
	case a == nil:
		return fault.New(fault.Invalid, op,
			"mode %s needs a model's answer: plan, ask, then accept", r.Options.Mode)
	}
	if u := a.Run.Usage; min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 || a.Run.Calls < 0 {
		return fault.New(fault.Invalid, op, "the usage of an answer is negative")
	}
	return core.CheckTexts(op, core.Text("summary", a.Text, maxAnswer),
		core.Text("summary of the turn", a.Turn, maxAnswer),
		core.Text("reason", a.Run.Reason, maxReason),
		core.Label("model", a.Run.Model), core.Label("range", a.Range), core.Label("status", string(a.Run.Status)))
}

const (
	maxAnswer = 1 << 20 // bytes of a summary: far more than any budget allows
	maxReason = 2_000   // bytes of the reason why no model was called
)

// spent sums what the entries of a range used, as providers reported it.
func spent(f *core.Folded, from, to int64) sessions.Usage {
	var sum sessions.Usage
	for _, e := range f.Entries[max(from, 1)-1 : min(to, int64(len(f.Entries)))] {
		sum = sum.Add(e.Spent())
	}
	return sum
}
