package views

import (
	"cmp"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// answered is an answer of a model, as far as its parts are known.
type answered struct {
	model  string
	terms  tokens.Terms
	output int64 // that was reported
	said   int   // o200k_base tokens of its parts
	asked  bool  // something was reported
	begun  bool  // its newest part was written before it was complete
}

// unfinished returns how much more the answers of a log say than was reported of those that were written down when they
// began, as an audit estimates it; nil: there are none.
func unfinished(f *core.Folded) *ledger.Unfinished {
	var all []*answered
	known := map[[2]string]*answered{}
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.Role != transcript.RoleAssistant || e.Model == "" || e.Copied {
			continue
		}
		key := [2]string{e.Author, e.Group}
		a := known[key]
		if a == nil || e.Group == "" {
			a = &answered{}
			all, known[key] = append(all, a), a
		}
		a.take(e)
	}
	sum := ledger.Unfinished{}
	for _, a := range all {
		const sample = 10_000
		share := float64(f.Models.For(a.model).Of(sample).N) / sample
		if more := float64(a.said)*share - float64(a.output); a.begun && a.asked && more > 0 {
			sum.Requests++
			sum.Tokens += more
			sum.Dollars += more * f.Models.Rates(a.model, a.terms).Output
		}
	}
	if sum.Requests == 0 {
		return nil
	}
	return &sum
}

// take takes a part of the answer.
func (a *answered) take(e *sessions.Entry) {
	a.model, a.begun, a.asked = e.Model, e.Unfinished, a.asked || e.Measured()
	a.said += e.Tokens - tokens.Framing
	for _, c := range e.Calls {
		a.said -= tokens.O200kBase.CountString(c.Name) // an audit counts what is written by a model alone
	}
	for _, c := range e.Billed() {
		if c.Model = cmp.Or(c.Model, a.model); c.Model == a.model {
			a.terms, a.output = c.Terms, a.output+c.Usage.Output
		}
	}
}
