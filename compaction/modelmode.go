package compaction

import (
	"sort"
	"strings"

	"ctxledger.dev/internal/fault"
)

// planModel plans a compaction with a model's summary: the deterministic proposal, which is used if the model
// fails, and the brief for the model. If the compaction saves nothing, there is no brief: the request would be
// wasted.
func planModel(in *Input, o Options) (Proposal, error) {
	v := newView(in)
	p, err := planIntent(in, o)
	if err != nil || p.Outcome != Compacted {
		return p, err
	}
	cut := sort.Search(len(in.Items), func(i int) bool { return in.Items[i].first() >= p.Record.FirstKept })
	s, err := newSource(in, o, draftID(in, o, cut), cut, v.affordable(o.budget(in.Window), cut))
	if err == nil { // with the draft's id: what a model repeats of it becomes the id of the summary that it is in
		p.Brief, err = s.brief(v, strings.ReplaceAll(p.Text, p.Record.ID, s.id))
	}
	return p, err
}

// Finish computes the compaction that a plan and its answer make. The summary is used if it is shorter than what
// it replaces and the ledger does not refute it. Otherwise the deterministic document is used, and the record's
// Run gives the reason. The log may have grown since the plan as long as the range is the same. Same input, same
// proposal, byte for byte.
//
// Errors: those of Plan; stale if the range has changed.
func Finish(in Input, o Options, a Answer) (Proposal, error) {
	if err := validate(&in, &o); err != nil {
		return Proposal{}, err
	}
	if !o.Mode.Asks() {
		return Proposal{}, fault.New(fault.Invalid, "compaction.finish",
			"mode %s does not take an answer from a model", o.Mode)
	}
	in, o = masked(in, o)
	a.Text, a.Turn = in.mask(a.Text), in.mask(a.Turn)
	v := newView(&in)
	cut := sort.Search(len(in.Items), func(i int) bool { return in.Items[i].first() >= a.FirstKept })
	if cut <= v.start || cut >= len(in.Items) || in.Items[cut].first() != a.FirstKept {
		return Proposal{}, staleAnswer()
	}
	s, err := newSource(&in, o, draftID(&in, o, cut), cut, v.affordable(o.budget(in.Window), cut))
	if err != nil {
		return Proposal{}, err
	}
	b, err := s.brief(v, "") // only its range matters
	if err != nil {
		return Proposal{}, err
	}
	if b.Range != a.Range {
		return Proposal{}, staleAnswer()
	}
	story, run := narrate(s, &a, v)
	if story != nil {
		p, err := v.proposeWith(o, cut, modelResult{story: story})
		if err != nil {
			return p, err
		}
		p.Record.Run = &run
		if p.Outcome == Compacted {
			return p, nil
		}
		run.Status, run.Reason = Status(p.Outcome), p.Why
	}
	var by modelResult
	if run.Status == Failed && in.Window > 0 && v.before > in.Window {
		by.failure = run.Reason // the history must shrink, and did without a summary
	}
	p, err := v.proposeWith(o, cut, by)
	p.Record.Run = &run
	return p, err
}
