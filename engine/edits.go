package engine

import (
	"context"
	"encoding/json"
	"slices"

	"ctxledger.dev/compaction"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// editStep is the payload of a KindEdits entry: what was decided once about the view.
type editStep struct {
	Reason string        `json:"reason"`
	Before int           `json:"tokens_before"` // of the whole view, o200k_base
	After  int           `json:"tokens_after"`
	Edits  []window.Edit `json:"edits"`
	// Summary is the compaction that took the step along: it goes with it.
	Summary string `json:"summary,omitempty"`
}

// steps folds the edits of a session's log.
type steps struct {
	made []editStep
}

// add takes an entry into account. Taking a compaction back takes back what it took along.
func (s *steps) add(e *sessions.Entry) error {
	switch e.Kind {
	case sessions.KindEdits:
		var made editStep
		if err := json.Unmarshal(e.Data, &made); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.edits", err)
		}
		s.made = append(s.made, made)
	case sessions.KindRestore:
		var r restored
		if err := json.Unmarshal(e.Data, &r); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.edits", err)
		}
		s.made = slices.DeleteFunc(s.made, func(made editStep) bool { return made.Summary == r.ID })
	}
	return nil
}

// edits returns the edits that hold, in the order in which they were made.
func (s *steps) edits() (all []window.Edit) {
	for _, made := range s.made {
		all = append(all, made.Edits...)
	}
	return all
}

// join returns the edits that a compaction takes along: what is kept behind its summary is written into
// the provider's cache anew anyway. The proposal then says what is left.
func (l *Local) join(ctx context.Context, tx kv.Tx, f *folded, p *compaction.Proposal, o compaction.Options) ([]window.Edit, error) {
	if p.Outcome != compaction.Compacted || o.KeepTail {
		return nil, nil
	}
	st, err := l.stateOf(ctx, tx, f, EditViewRequest{Model: o.Model, Reason: "compaction"})
	if err != nil {
		return nil, err
	}
	st.Summary = summaryTokens(p.Text)
	in := f.input()
	in.Cutoff = &window.Cutoff{Summary: p.Record.ID, FirstKept: p.Record.FirstKept}
	edits, freed, err := l.weighAll(ctx, tx, f, window.Decide(in, l.policy, st).Edits)
	if freed > 0 {
		p.Record.After -= freed
		p.Why = chars.Commas(p.Record.Before) + " → " + chars.Commas(p.Record.After) + " tokens"
	}
	return edits, err
}

// EditView implements API.
func (l *Local) EditView(ctx context.Context, r EditViewRequest) (EditedView, error) {
	if err := checkTexts("engine.edit", label("session", r.Session), label("model", r.Model), label("reason", r.Reason)); err != nil {
		return EditedView{}, err
	}
	if r.DryRun {
		made, _, err := l.decide(ctx, r)
		return made, err
	}
	m, err := l.mutation("edit", r.Key, r)
	if err != nil {
		return EditedView{}, err
	}
	if made, done, err := repeated[EditedView](ctx, l, m); done || err != nil {
		return made, err
	}
	for range maxPlans {
		made, f, err := l.decide(ctx, r)
		if err != nil {
			return made, err
		}
		made, err = mutate(ctx, l, m, func(tx kv.Tx) (EditedView, []Event, error) { return l.editView(ctx, tx, made, f, m) })
		if !fault.Is(err, fault.Stale) {
			return made, err
		}
	}
	return EditedView{}, fault.New(fault.Stale, "engine.edit", "session %s went on %d times while its edits were decided", r.Session, maxPlans).
		WithHint("ask again when the agent pauses")
}

// editView records a decision about a log that has not moved on, if there is anything to record.
func (l *Local) editView(ctx context.Context, tx kv.Tx, made EditedView, f *folded, m mutation) (EditedView, []Event, error) {
	s, err := sessions.Get(tx, f.session.ID)
	if err != nil || len(made.Edits) == 0 {
		return made, nil, err
	}
	if s.Seq != f.session.Seq {
		return made, nil, stale(s, f.session.Seq)
	}
	after := f.clone() // the transaction may run twice
	event, err := l.recordStep(ctx, tx, after, editStep{Reason: made.Reason, Before: made.Before, After: made.After, Edits: made.Edits}, m)
	if err != nil {
		return made, nil, err
	}
	made.Step = event.Entry
	return made, []Event{event}, sessions.Save(tx, after.session)
}

// recordStep appends a step to the log, which f then has.
func (l *Local) recordStep(ctx context.Context, tx kv.Tx, f *folded, made editStep, m mutation) (Event, error) {
	s := &f.session
	data, err := json.Marshal(made)
	if err != nil {
		return Event{}, fault.Wrap(fault.Internal, "engine.edit", err)
	}
	e, err := sessions.Append(tx, s, sessions.Entry{Kind: sessions.KindEdits, Time: m.at, Turn: s.Turns, Data: data}, nil)
	if err != nil {
		return Event{}, err
	}
	if err := f.extend(e); err != nil {
		return Event{}, err
	}
	return Event{Kind: EventEdits, Session: s.ID, Entry: e.Seq, Detail: made.Reason}, l.aliasEdits(ctx, tx, f, made.Edits)
}

// decided is a decision with the log that it is about.
type decided struct {
	made   EditedView
	folded *folded
}

// decide says which edits the view of a session takes now. It looks at the texts of all of them, which no
// transaction that writes should wait for.
func (l *Local) decide(ctx context.Context, r EditViewRequest) (EditedView, *folded, error) {
	d, err := view(ctx, l, func(tx kv.Tx) (decided, error) {
		f, err := l.fold(tx, r.Session)
		if err != nil {
			return decided{}, err
		}
		made, err := l.decideOn(ctx, tx, f, r)
		return decided{made, f}, err
	})
	return d.made, d.folded, err
}

// decideOn says which edits a view takes now, with their exact sizes.
func (l *Local) decideOn(ctx context.Context, tx kv.Tx, f *folded, r EditViewRequest) (EditedView, error) {
	st, err := l.stateOf(ctx, tx, f, r)
	if err != nil {
		return EditedView{}, err
	}
	d := window.Decide(f.input(), l.policy, st)
	var freed int
	if d.Edits, freed, err = l.weighAll(ctx, tx, f, d.Edits); err != nil {
		return EditedView{}, err
	}
	d.After = d.Before - freed
	c := f.counter(r.Model)
	made := EditedView{Session: f.session.ID, Decision: d, TokensBefore: c.Of(d.Before), TokensAfter: c.Of(d.After)}
	now := f.situation(st, d.After, r.Signals)
	made.NearCap = f.view.NearCap
	made.Due, made.Warn = l.policy.Compact.Due(now), l.policy.Compact.Warns(now)
	return made, nil
}

// stateOf gathers what a decision depends on.
func (l *Local) stateOf(ctx context.Context, tx kv.Tx, f *folded, r EditViewRequest) (window.State, error) {
	c := f.counter(r.Model)
	st := window.State{
		Count:  c.Of,
		Reason: r.Reason,
	}
	st.Window, _ = l.models.Window(c.Model())
	model, _ := l.models.Lookup(c.Model())
	_, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return st, err
	}
	if f.current() != nil {
		st.Summary = summaryTokens(text)
	}
	cache := f.cached(l.now())
	st.Cold, st.Rates = cache.cold, window.RatesOf(model.Price, cache.long)
	fixed, _ := f.fixed(c)
	st.Fixed = fixed.N
	size, _ := st.Request(f.tokens(text))
	st.Ahead = window.CallsAhead(f.requests(), size-st.Fixed, l.policy.Compact.Threshold(st.Window)-size)
	st.ExitCode = exitCode(tx, f.session.ID)
	return st, nil
}

// exitCode looks up that of a command. One that cannot be read is not known.
func exitCode(tx kv.Tx, session string) func(call string) (int, bool) {
	return func(call string) (int, bool) {
		in, err := intents.OfCall(tx, session, call)
		if err != nil || in == nil || in.ExitCode == nil {
			return 0, false
		}
		return *in.ExitCode, true
	}
}

// requests is how many answers the view has: as many requests were made for them.
func (f *folded) requests() int {
	n := 0
	for _, slot := range f.view.Slots {
		if slot.Role == transcript.RoleAssistant {
			n++
		}
	}
	return n
}

// maxStep is how many bytes the edits of one step take: it is one record. What does not fit waits for the
// next one.
const maxStep = kv.MaxValue / 2

// weighAll counts what edits show, leaves out those that free nothing, and sums what the others do.
func (l *Local) weighAll(ctx context.Context, tx kv.Tx, f *folded, edits []window.Edit) (exact []window.Edit, freed int, err error) {
	size := 0
	for _, e := range edits {
		e, smaller, err := l.weigh(ctx, tx, f, e)
		if err != nil {
			return nil, 0, err
		}
		if !smaller {
			continue
		}
		raw, err := json.Marshal(e)
		if err != nil {
			return nil, 0, fault.Wrap(fault.Internal, "engine.edit", err)
		}
		if size += len(raw) + len(","); size > maxStep {
			break
		}
		exact = append(exact, e)
		freed += e.Before - e.Tokens
	}
	return exact, freed, nil
}

// weigh counts what an edit shows of its message.
func (l *Local) weigh(ctx context.Context, tx kv.Tx, f *folded, e window.Edit) (window.Edit, bool, error) {
	if e.Part == window.PartRange {
		return e, true, nil
	}
	m, err := l.decoded(ctx, tx, f.session.ID, e.Seq)
	if fault.Is(err, fault.NotFound) {
		return e, false, nil // forgotten in the meantime
	}
	if err != nil {
		return e, false, err
	}
	e, smaller := window.Measure(e, m)
	return e, smaller, nil
}
