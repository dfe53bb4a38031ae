package engine

import (
	"maps"
	"slices"

	"ctxledger.dev/compaction"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// folded is a session's log read once: its headers, the compactions in force, and the view that
// follows from both. What is kept of it for later (readLogs) is without the last three fields.
type folded struct {
	session sessions.Session
	entries []sessions.Entry
	compactions
	steps
	decisions decisions
	policy    window.Policy
	agent     string // whose view it is: see Reader
	view      window.View
	calls     map[string]sessions.Call // by id; made when it is first asked for
	models    *tokens.Registry
	estimator func(model string) (*tokens.Estimator, error)
}

// fold reads the log of a session and folds it into its view, in a transaction that changes nothing.
func (l *Local) fold(tx kv.Tx, id string) (*folded, error) {
	return l.foldFor(tx, id, ledger.Reader{}, true)
}

// foldIn is fold in a transaction that may have changed the log.
func (l *Local) foldIn(tx kv.Tx, id string) (*folded, error) {
	return l.foldFor(tx, id, ledger.Reader{}, false)
}

// foldFor reads the log for one reader. committed says that the transaction has changed nothing of it.
func (l *Local) foldFor(tx kv.Tx, id string, r ledger.Reader, committed bool) (*folded, error) {
	s, err := sessions.Get(tx, id)
	if err != nil {
		return nil, err
	}
	policy, err := l.policyFor(s, r)
	if err != nil {
		return nil, err
	}
	f, err := l.logs.current(tx, s, r.Agent, policy, committed)
	if err != nil {
		return nil, err
	}
	f.models = l.settings(s).Models
	f.countIn(tx)
	return f, nil
}

// countIn has counts use what a transaction knows of models: one that has ended knows nothing.
func (f *folded) countIn(tx kv.Tx) {
	f.estimator = func(model string) (*tokens.Estimator, error) { return estimator(tx, model) }
}

// take takes an entry of the log into account.
func (f *folded) take(e *sessions.Entry) error {
	if err := f.steps.add(e); err != nil {
		return err
	}
	if err := f.decisions.add(e); err != nil {
		return err
	}
	return f.compactions.add(e)
}

// input is what the view follows from.
func (f *folded) input() window.Input {
	return window.Input{Entries: f.entries, Cutoff: f.cutoff(), Edits: f.edits(), Filter: f.policy.Filter}
}

// plan computes the view.
func (f *folded) plan() {
	f.view = window.Plan(f.input())
}

// extend takes an entry into account that was just appended.
func (f *folded) extend(e sessions.Entry) error {
	f.entries = append(f.entries, e)
	if err := f.take(&e); err != nil {
		return err
	}
	f.plan()
	return nil
}

// clone returns a copy that can be extended by itself.
func (f *folded) clone() *folded {
	c := *f
	c.entries, c.records, c.made = slices.Clip(f.entries), slices.Clip(f.records), slices.Clip(f.made)
	c.decisions.taken = slices.Clip(f.decisions.taken)
	c.at, c.undone = maps.Clone(f.at), maps.Clone(f.undone)
	return &c
}

// whole returns the messages of the session as if nothing had been compacted.
func (f *folded) whole() []window.Slot {
	if f.view.Summary == "" && f.policy.Filter.Empty() {
		return f.view.Slots
	}
	in := f.input()
	in.Cutoff, in.Filter = nil, window.Filter{}
	return window.Plan(in).Slots
}

// cutoff returns where the view starts after the compaction in force.
func (c *compactions) cutoff() *window.Cutoff {
	cur := c.current()
	if cur == nil {
		return nil
	}
	return &window.Cutoff{Summary: cur.ID, FirstKept: cur.FirstKept, Recorded: c.at[cur.ID]}
}

// current returns the compaction that the view starts with, or nil. A rewind into the range that a
// compaction covers takes it out of the view.
func (f *folded) current() *compaction.Record {
	if f.view.Summary == "" {
		return nil
	}
	return f.compactions.current()
}

// tokens returns the o200k_base size of the whole view.
func (f *folded) tokens(summary string) int {
	if f.current() == nil {
		return f.view.Tokens
	}
	return f.view.Tokens + summaryTokens(summary)
}

// summaryTokens is the o200k_base size of a summary as a message.
func summaryTokens(text string) int {
	return tokens.Framing + tokens.O200kBase.CountString(text)
}

// counter returns the counter of a model, or of the session's when none is named.
func (f *folded) counter(model string) tokens.Counter {
	if model == "" {
		model = f.session.Model
	}
	c := f.models.For(model)
	e, err := f.estimator(model)
	if err != nil {
		return c // a copy that cannot be read is none: the count says that it is the family's
	}
	return c.With(e)
}
