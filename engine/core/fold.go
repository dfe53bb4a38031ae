package core

import (
	"cmp"
	"maps"
	"slices"

	"ctxledger.dev/compaction"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// Folded is a session's log, read once: its headers, the compactions in effect and the resulting view. The cached copy
// (readLogs) lacks the last six fields.
type Folded struct {
	Session sessions.Session
	Entries []sessions.Entry
	Compactions
	steps
	decisions decisions
	Policy    window.Policy
	Agent     string // whose view it is: see Reader
	View      window.View
	Words     *compaction.Words // messages that plans of the session have read
	WordsTo   int64             // newest committed entry
	Models    *tokens.Registry
	calls     map[string]sessions.Call // by id; made by the first Call
	handed    []window.Handed          // to the agent whose view it is
	estimator func(model string) (*tokens.Estimator, error)
}

// Fold reads the log of a session and folds it into its view, in a transaction that changes nothing.
func (l *Ledger) Fold(tx kv.Tx, id string) (*Folded, error) {
	return l.FoldFor(tx, id, ledger.Reader{}, true)
}

// FoldFor reads the log for one reader. committed says that the transaction has not changed the log.
func (l *Ledger) FoldFor(tx kv.Tx, id string, r ledger.Reader, committed bool) (*Folded, error) {
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
	f.Models = l.Settings(s).Models
	f.UseEstimators(tx)
	if r.Agent == "" {
		return f, nil
	}
	if f.handed, err = f.handedTo(tx, l.Settings(s).Given); len(f.handed) > 0 {
		f.plan()
	}
	return f, err
}

// UseEstimators makes counts use the estimators that a transaction reads. Those of an ended transaction are gone.
func (f *Folded) UseEstimators(tx kv.Tx) {
	f.estimator = func(model string) (*tokens.Estimator, error) { return estimator(tx, model) }
}

// Take folds one more entry of the log.
func (f *Folded) Take(e *sessions.Entry) error {
	return cmp.Or(f.steps.add(e), f.decisions.add(e), f.Compactions.Add(e))
}

// Input returns what the view is computed from.
func (f *Folded) Input() window.Input {
	return window.Input{Entries: f.Entries, Cutoff: f.Cutoff(), Edits: f.Edits(), Filter: f.Policy.Filter,
		Handed: f.handed}
}

// plan computes the view.
func (f *Folded) plan() {
	f.View = window.Plan(f.Input())
}

// Extend folds an entry that was just appended and computes the view again.
func (f *Folded) Extend(e sessions.Entry) error {
	f.Entries = append(f.Entries, e)
	if err := f.Take(&e); err != nil {
		return err
	}
	f.plan()
	return nil
}

// Clone returns a copy that can be extended independently.
func (f *Folded) Clone() *Folded {
	c := *f
	c.Entries, c.Records, c.made = slices.Clip(f.Entries), slices.Clip(f.Records), slices.Clip(f.made)
	c.decisions.taken = slices.Clip(f.decisions.taken)
	c.At, c.Undone = maps.Clone(f.At), maps.Clone(f.Undone)
	return &c
}

// Whole returns the messages of the session without any compaction, the host's own included.
func (f *Folded) Whole() []window.Slot {
	if f.View.Summary == "" && f.View.Host == 0 && f.Policy.Filter.Empty() && len(f.handed) == 0 {
		return f.View.Slots
	}
	in := f.Input()
	in.Cutoff, in.Filter, in.Handed, in.Whole = nil, window.Filter{}, nil, true
	return window.Plan(in).Slots
}

// Call returns the call of an id; where a log has several, the newest.
func (f *Folded) Call(id string) (sessions.Call, bool) {
	if f.calls == nil {
		f.calls = map[string]sessions.Call{}
		for _, e := range f.Entries {
			for _, c := range e.Calls {
				f.calls[c.ID] = c
			}
		}
	}
	c, known := f.calls[id]
	return c, known
}

// Cutoff returns where the view starts after the current compaction.
func (c *Compactions) Cutoff() *window.Cutoff {
	cur := c.current()
	if cur == nil {
		return nil
	}
	return &window.Cutoff{Summary: cur.ID, FirstKept: cur.FirstKept, Recorded: c.At[cur.ID],
		Resume: cur.Resume}
}

// Current returns the compaction that the view starts with, or nil. A rewind into the range that it covers removes it
// from the view.
func (f *Folded) Current() *compaction.Record {
	if f.View.Summary == "" {
		return nil
	}
	return f.Compactions.current()
}

// Tokens returns the o200k_base size of the whole view.
func (f *Folded) Tokens(summary string) int {
	if f.Current() == nil {
		return f.View.Tokens
	}
	return f.View.Tokens + SummaryTokens(summary)
}

// SummaryTokens is the o200k_base size of a summary as a message.
func SummaryTokens(text string) int {
	return tokens.Framing + tokens.O200kBase.CountString(text)
}

// NewGrowth returns the growth of a log of the session's model of which nothing was taken. What has been learned of the model is no
// part of it: figures of a session stay what they are.
func (f *Folded) NewGrowth() *window.Growth {
	return window.NewGrowth(f.Models.For(f.Session.Model).Of(tokens.Scaled).N)
}

// Growth returns how the provider counted the entries, and what tokens.Scaled of o200k_base usually were. It tells nothing, and that
// is 0, where too little shows it, or where the counter of the model, "" for the session's own, is exact.
func (f *Folded) Growth(model string) (g *window.Growth, usually int) {
	g = f.NewGrowth()
	g.Follow(f.Entries)
	if !f.Counter(model).Exact() {
		usually = g.Rate()
	}
	if usually == 0 {
		return &window.Growth{}, 0
	}
	return g, usually
}

// Counter returns the counter of a model, or of the session's when none is named.
func (f *Folded) Counter(model string) tokens.Counter {
	if model == "" {
		model = f.Session.Model
	}
	c := f.Models.For(model)
	e, err := f.estimator(model)
	if err != nil {
		return c // unreadable: count as the model's family does; the count says so
	}
	return c.With(e)
}
