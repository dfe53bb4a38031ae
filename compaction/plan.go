package compaction

import (
	"cmp"
	"fmt"
	"strings"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

const (
	// budgetMost is the default budget of a summary in tokens, where a tenth of the window is more,
	// or the window is unknown.
	budgetMost = 8_000
	// budgetLeast is the smallest default, so that a small window still gets a document.
	budgetLeast = 600
)

// Proposal is what a compaction would do.
type Proposal struct {
	Outcome Outcome
	// Why says in words how it ended: for every outcome, also for Compacted.
	Why string
	// Record is complete but for Created, and for Text or TextBlob; it is empty when there was
	// nothing to do. Its ID is a function of session, range, position and text.
	Record Record
	// Text is the summary; it is set whenever one was written, also when it was not accepted.
	Text string
	// Brief is the input for a model, in the modes that use one; its answer goes to Finish. nil if nothing would
	// be compacted.
	Brief *Brief
}

// Plan computes, without side effects, what a compaction would do. Same input, same proposal, byte
// for byte. An outcome other than Compacted is no error: the view stays as it was, and Why says why.
//
// Errors: invalid for options that break a rule, too_large for notes and pins over their limits,
// not_found for a pinned message that the session does not have, and those of Input.Text.
func Plan(in Input, o Options) (Proposal, error) {
	if err := validate(&in, &o); err != nil {
		return Proposal{}, err
	}
	in, o = masked(in, o)
	return planners[o.Mode](&in, o)
}

// planners are what plans a compaction in each mode that is offered.
var planners = map[Mode]func(*Input, Options) (Proposal, error){
	Intent: planIntent,
	Window: planWindow,
	LLM:    planModel,
	Hybrid: planModel,
}

// validate refuses options that cannot be meant, and normalises the mode.
func validate(in *Input, o *Options) error {
	const op = "compaction.plan"
	o.Mode = cmp.Or(Mode(strings.ToLower(string(o.Mode))), Intent)
	switch {
	case o.Mode.Refused() != "":
		return fault.New(fault.Invalid, op, "mode %s %s", o.Mode, o.Mode.Refused()).
			WithHint("%s keeps what the ledger recorded, without a model; %s adds a model's summary to it", Intent,
				Hybrid)
	case !o.Mode.Offered():
		return fault.New(fault.Invalid, op, "unknown mode %q: use one of %s", o.Mode,
			strings.Join(settings.ModeNames(false), ", "))
	case o.Mode.Asks():
		if err := o.checkAsking(); err != nil {
			return err
		}
	}
	switch {
	case o.Budget < 0:
		return fault.New(fault.Invalid, op, "budget %d is negative", o.Budget)
	case o.Keep < 0:
		return fault.New(fault.Invalid, op, "keep %d is negative", o.Keep)
	case len(o.Notes) > limits.Notes:
		return fault.New(fault.TooLarge, op, "notes have %d bytes; at most %d are allowed", len(o.Notes), limits.Notes)
	case len(o.Pin) > pinsMost:
		return fault.New(fault.TooLarge, op, "%d things are pinned, at most %d can be", len(o.Pin), pinsMost)
	}
	for i := range in.Items {
		if len(in.Items[i].Seqs) == 0 {
			return fault.New(fault.Invalid, op, "item %d does not refer to an entry", i)
		}
	}
	return nil
}

// planIntent tries the boundaries in order of preference and returns the first acceptable
// proposal, or the first one's refusal.
func planIntent(in *Input, o Options) (Proposal, error) {
	v := newView(in)
	if o.Whole {
		return v.whole(o)
	}
	ok := borders(in.Items)
	cuts := []int{boundary(in.Items, ok, v.start, in.keep())}
	if o.Keep > 0 {
		asked := lastTurns(in.Items, ok, v.start, o.Keep)
		if asked <= v.start && (in.Window == 0 || v.before <= in.Window) {
			return v.upToDate(o), nil // all of it is asked to stay, and it fits
		}
		cuts = []int{asked, cuts[0]}
	} else if o.Budget > 0 && in.FirstKept == 0 {
		// A stated length asks for a summary of a short session too.
		cuts = append(cuts, boundary(in.Items, ok, v.start, in.keep().Within(v.before/2)))
	}
	var refused Proposal
	for i, cut := range cuts {
		if cut <= v.start || cut >= len(in.Items) || i > 0 && cut <= cuts[0] {
			continue
		}
		p, err := v.propose(o, cut)
		if err != nil || p.Outcome == Compacted {
			return p, err
		}
		if refused.Outcome == "" && (i == 0 || o.Keep > 0) {
			refused = p // of a session that fits nothing is refused
		}
	}
	if refused.Outcome != "" {
		return refused, nil
	}
	return v.upToDate(o), nil
}

// whole writes the document of the whole session. What it saves does not matter: it replaces the session in
// another chat.
func (v *view) whole(o Options) (Proposal, error) {
	if len(v.in.Items) == 0 {
		return v.upToDate(o), nil
	}
	return v.propose(o, len(v.in.Items))
}

// budget is the budget of the summary, in tokens.
func (o Options) budget(window int) int {
	switch {
	case o.Budget > 0:
		return o.Budget
	case window > 0:
		return max(budgetLeast, min(budgetMost, window/10))
	}
	return budgetMost
}

// propose writes the deterministic summary for one boundary and judges it.
func (v *view) propose(o Options, cut int) (Proposal, error) {
	return v.proposeWith(o, cut, modelResult{})
}

// modelResult is the result of asking a model.
type modelResult struct {
	story   *narrative
	failure string
}

// proposeWith writes the summary for one boundary, with a model's words in it where there are any, and
// judges it.
func (v *view) proposeWith(o Options, cut int, by modelResult) (Proposal, error) {
	budget := o.budget(v.in.Window)
	s, err := newSource(v.in, o, draftID(v.in, o, cut), cut, v.affordable(budget, cut))
	if err != nil {
		return Proposal{}, err
	}
	s.story, s.failure = by.story, by.failure
	text, need, err := s.write()
	if err != nil {
		return Proposal{}, err
	}
	if need > 0 && s.budget < budget {
		s.budget = min(need, budget) // what must be there comes before what is worth its size
		if text, need, err = s.write(); err != nil {
			return Proposal{}, err
		}
	}
	p := v.judge(s, s.mode(), text, 0)
	if need > 0 {
		p.Outcome = DoesNotFit
		p.Why = fmt.Sprintf("a summary with the first request and all that is pinned takes about %s tokens, but the budget is %s",
			chars.Commas(need), chars.Commas(budget))
	}
	return p, nil
}
