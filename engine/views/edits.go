package views

import (
	"context"
	"encoding/json"
	"fmt"

	"ctxledger.dev/changes"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// Join returns the edits to make together with a compaction, because the messages after its summary are written into
// the provider's cache again in any case. It corrects the proposal's size after the compaction.
func (l *Views) Join(
	ctx context.Context, tx kv.Tx, f *core.Folded, p *compaction.Proposal, o compaction.Options,
) ([]window.Edit, error) {
	if p.Outcome != compaction.Compacted || o.KeepTail {
		return nil, nil
	}
	w, err := l.windowOf(tx, f, o.Model)
	if err != nil {
		return nil, err
	}
	st, err := l.stateOf(ctx, tx, f, w, ledger.EditViewRequest{Reason: "compaction"})
	if err != nil {
		return nil, err
	}
	st.Summary = core.SummaryTokens(p.Text)
	in := f.Input()
	in.Cutoff = &window.Cutoff{Summary: p.Record.ID, FirstKept: p.Record.FirstKept, Resume: p.Record.Resume}
	exact, err := l.weighAll(ctx, tx, f, window.Decide(in, f.Policy, st).Edits)
	if exact.freed > 0 {
		p.Record.After -= exact.freed
		p.Why = chars.Commas(p.Record.Before) + " → " + chars.Plural(p.Record.After, "token")
	}
	return exact.edits, err
}

// EditView implements ledger.Views.
func (l *Views) EditView(ctx context.Context, r ledger.EditViewRequest) (ledger.EditedView, error) {
	if err := core.CheckTexts("engine.edit", core.Label("session", r.Session), core.Label("model", r.Model),
		core.Label("reason", r.Reason), core.Label("agent", r.Agent)); err != nil {
		return ledger.EditedView{}, err
	}
	if r.DryRun {
		d, err := l.decide(ctx, r)
		return d.Made, err
	}
	m := l.core.NewMutation("edit", r.Key, r)
	if made, done, err := core.PreviousResponse[ledger.EditedView](ctx, l.core, m); done || err != nil {
		return made, err
	}
	for range limits.Plans {
		d, err := l.decide(ctx, r)
		if err != nil || r.Key == "" && d.nothing() {
			return d.Made, err
		}
		made, err := core.Mutate(ctx, l.core, m, func(tx kv.Tx) (ledger.EditedView, []ledger.Event, error) {
			return l.editView(ctx, tx, d, m)
		})
		if !fault.Is(err, fault.Stale) {
			return made, err
		}
	}
	return ledger.EditedView{}, fault.New(fault.Stale, "engine.edit",
		"session %s grew %d times while its edits were being decided", r.Session, limits.Plans).
		WithHint("ask again when the agent pauses")
}

// editView records a decision, if there is anything to record and the log has not grown since.
func (l *Views) editView(
	ctx context.Context, tx kv.Tx, d decided, m core.Mutation,
) (ledger.EditedView, []ledger.Event, error) {
	made := d.Made
	if d.nothing() {
		return made, nil, nil
	}
	s, err := sessions.Get(tx, d.folded.Session.ID)
	if err != nil {
		return made, nil, err
	}
	if s.Seq != d.folded.Session.Seq {
		return made, nil, core.Stale(s, d.folded.Session.Seq)
	}
	after := d.folded.Clone() // the transaction may run twice
	var events []ledger.Event
	if len(made.Edits) > 0 {
		step := core.EditStep{Reason: made.Reason, Before: made.Before, After: made.After, Edits: made.Edits,
			Agent: after.Agent}
		if events, err = l.recordStep(ctx, tx, after, step, d.sizing, m); err != nil {
			return made, nil, err
		}
		made.Step = events[0].Entry
	}
	noted, err := core.RecordDecisions(tx, &after.Session, d.notes, m)
	if err != nil {
		return made, nil, err
	}
	return made, append(events, noted...), sessions.Save(tx, after.Session)
}

// recordStep appends a step to the log and to f.
func (l *Views) recordStep(
	ctx context.Context, tx kv.Tx, f *core.Folded, made core.EditStep, of sizing, m core.Mutation,
) ([]ledger.Event, error) {
	events, err := stepEvents(f, made, of)
	if err != nil {
		return nil, err
	}
	e, err := sessions.AppendOwn(tx, &f.Session, sessions.Entry{Kind: sessions.KindEdits, Time: m.At}, made)
	if err != nil {
		return nil, err
	}
	if err := f.Extend(e); err != nil {
		return nil, err
	}
	for i := range events {
		events[i].Entry = e.Seq
	}
	return events, l.aliasEdits(ctx, tx, f, made.Edits)
}

// decided is a decision with the log that it is about and the notes to record.
type decided struct {
	Made   ledger.EditedView
	folded *core.Folded
	state  window.State
	sizing sizing
	notes  []core.Decision
}

// nothing reports whether a decision has nothing to be recorded.
func (d decided) nothing() bool { return len(d.Made.Edits) == 0 && len(d.notes) == 0 }

// decide says which edits the view of a session gets now. It reads the texts of all of them, so it runs outside of
// the transaction that writes.
func (l *Views) decide(ctx context.Context, r ledger.EditViewRequest) (decided, error) {
	return core.View(ctx, l.core, func(tx kv.Tx) (decided, error) {
		f, err := l.core.FoldFor(tx, r.Session, r.Reader, true)
		if err != nil {
			return decided{}, err
		}
		return l.decideOn(ctx, tx, f, r)
	})
}

// decideOn decides the next step: which edits a view gets now, with their exact sizes, and whether a compaction is due
// then.
func (l *Views) decideOn(ctx context.Context, tx kv.Tx, f *core.Folded, r ledger.EditViewRequest) (decided, error) {
	w, err := l.windowOf(tx, f, r.Model)
	if err != nil {
		return decided{}, err
	}
	st, err := l.stateOf(ctx, tx, f, w, r)
	if err != nil {
		return decided{}, err
	}
	g := gaugeOf(f, r.Model, unedited(f))
	c := g.measure
	st.Shown, st.Becomes = c.Of, c.View
	d := window.Decide(f.Input(), f.Policy, st)
	freed := d.Before - d.After
	if r.NoEdits {
		d = window.Decision{Before: d.Before, Threshold: d.Threshold, Over: st.Request(d.Before) > d.Threshold,
			Why: "no edits were asked for"}
	}
	exact, err := l.weighAll(ctx, tx, f, d.Edits)
	if err != nil {
		return decided{}, err
	}
	if d.Edits, d.After = exact.edits, d.Before-exact.freed; !r.NoEdits {
		d.Why = d.NextStep(st)
	}
	made := ledger.EditedView{Session: f.Session.ID, Decision: d, TokensBefore: c.View(d.Before, nil),
		TokensAfter: c.View(d.Before, d.Edits), Failed: exact.failed}
	due := func(view int) (window.Situation, window.Trigger, bool) {
		now := situation(f, w, st, view, r.Signals)
		if r.Held == 0 { // else sizes are as the provider counts
			now.Shown = g.limit
		}
		due, warn := l.dueFor(f, now)
		return now, due, warn
	}
	now, isDue, warn := due(d.After)
	made.NearCap, made.Due, made.Warn = f.View.NearCap, isDue, warn
	if _, before, _ := due(d.Before); isDue.Reason == "" && before.Reason != "" {
		made.Due.Averted = before.Why
	}
	if _, edited, _ := due(d.Before - freed); r.NoEdits && isDue.Reason != "" && edited.Reason == "" {
		made.Due.Why += "; edits would be enough for a caller that sends the whole view"
	}
	made.Mode, made.Keep = modeOf(f.Policy.Compact, made.Due), keepOf(f.Policy, made.Due)
	if cur := f.Current(); made.Due.Grace && cur != nil {
		of := figuresOf(f, cur)
		made.Due.Why += fmt.Sprintf(": it left %s of %s tokens (summary %s)", of.After, of.Before, cur.ID)
	}
	return decided{made, f, st, sizing{r.Model, d.Rewritten}, l.notices(f, made, now, c)}, nil
}

// stateOf gathers what a decision depends on.
func (l *Views) stateOf(
	ctx context.Context, tx kv.Tx, f *core.Folded, w ledger.Window, r ledger.EditViewRequest,
) (window.State, error) {
	c := f.Counter(w.Model)
	st := window.State{
		Session: f.Session.ID,
		Window:  w.Tokens,
		Count:   c.Of,
		Reason:  r.Reason,
	}
	model, _ := f.Models.Lookup(c.Model())
	_, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return st, err
	}
	if f.Current() != nil {
		st.Summary = core.SummaryTokens(text)
	}
	cache := cachedAt(f.Entries, r.Sent, l.core.Now())
	st.Sent, st.Cold, st.Rates = r.Sent, cache.cold, window.RatesOf(model.Price, cache.long)
	fixed, _ := fixedInput(f, c)
	st.Fixed = fixed.N
	if all := f.Tokens(text); r.Held > st.Request(all) {
		st.Count = heldAs(c, all, r.Held-st.Fixed)
	}
	size := st.Request(f.Tokens(text))
	st.Ahead = window.CallsAhead(requests(f), size-st.Fixed, f.Policy.Compact.Threshold(st.Window)-size)
	st.ExitCode, st.Changed = exitCode(tx, f.Session.ID), changedBy(tx, f.Session.ID, l.core.Trees.Apart(f.Session))
	st.Within = l.within(ctx, tx, f)
	return st, nil
}

// heldAs counts as a counter does, but content whose provider counted more as a share of that; twice as much at most, since it
// may be of what was sent before a step.
func heldAs(c tokens.Counter, content, held int) func(o200k int) tokens.Count {
	const most = 2
	s := tokens.ScaleOf(c.Of(tokens.Scaled))
	s.N = min(int(int64(held)*tokens.Scaled/int64(max(content, 1))), most*s.N)
	s.Upper = max(s.N, s.Upper)
	return s.Of
}

// within compares the texts of results. One that cannot be read is in no other.
func (l *Views) within(ctx context.Context, tx kv.Tx, f *core.Folded) func(part, whole window.Printed) bool {
	texts := map[window.Printed]string{}
	text := func(p window.Printed) string {
		if text, known := texts[p]; known {
			return text
		}
		texts[p] = ""
		m, err := l.core.DecodeEntry(ctx, tx, f, p.Seq)
		for _, part := range m.Parts {
			if err == nil && part.Kind == transcript.KindResult && part.ID == p.Call {
				texts[p] = filetext.Plain(part.Text, p.Numbered)
			}
		}
		return texts[p]
	}
	return func(part, whole window.Printed) bool {
		return filetext.Within(text(part), text(whole))
	}
}

// exitCode looks up the exit code of a command. One that cannot be read counts as unknown.
func exitCode(tx kv.Tx, session string) func(call string) (int, bool) {
	return func(call string) (int, bool) {
		in, err := intents.OfCall(tx, session, call)
		if err != nil || in == nil || in.ExitCode == nil {
			return 0, false
		}
		return *in.ExitCode, true
	}
}

// changedBy looks up the newest entry by which a session changed a file; 0 if another one changed it since, or the
// record cannot be read.
func changedBy(tx kv.Tx, session, tree string) func(path string) int64 {
	return func(path string) int64 {
		c, err := changes.Newest(tx, path, tree)
		if err != nil || c == nil || c.Session != session {
			return 0
		}
		return c.Seq
	}
}

// requests counts the answers in the view: each took one request.
func requests(f *core.Folded) int {
	n := 0
	for _, slot := range f.View.Slots {
		if slot.Role == transcript.RoleAssistant {
			n++
		}
	}
	return n
}

// maxStep bounds the edits of one step, which is one record, in bytes. The others wait for the next step.
const maxStep = kv.MaxValue / 2

// weighed are edits with their exact sizes.
type weighed struct {
	edits  []window.Edit
	freed  int
	failed []ledger.LayerError // the messages that could not be read
}

// maxFailed is how many of these one decision names.
const maxFailed = 10

// weighAll counts the tokens that edits show, leaves out those that free nothing, and sums what the others free. A
// message that cannot be read is not edited.
func (l *Views) weighAll(ctx context.Context, tx kv.Tx, f *core.Folded, edits []window.Edit) (w weighed, err error) {
	size := 0
	for _, e := range edits {
		exact, smaller, err := l.weigh(ctx, tx, f, e)
		if err != nil && ctx.Err() != nil {
			return weighed{}, fault.Wrap(fault.Unavailable, "engine.edit", ctx.Err())
		}
		if err != nil {
			if len(w.failed) < maxFailed {
				w.failed = append(w.failed, ledger.LayerError{Layer: e.Pass, Entry: e.Seq,
					Message: f.Entries[e.Seq-1].ID, Error: err.Error()})
			}
			continue
		}
		if !smaller {
			continue
		}
		raw, err := json.Marshal(exact)
		if err != nil {
			return weighed{}, fault.Wrap(fault.Internal, "engine.edit", err)
		}
		if size += len(raw) + len(","); size > maxStep {
			break
		}
		w.edits = append(w.edits, exact)
		w.freed += exact.Before - exact.Tokens
	}
	return w, nil
}

// weigh counts the tokens that an edit shows of its message.
func (l *Views) weigh(ctx context.Context, tx kv.Tx, f *core.Folded, e window.Edit) (window.Edit, bool, error) {
	if !e.Part.OfMessage() {
		return e, true, nil
	}
	m, err := l.core.DecodeEntry(ctx, tx, f, e.Seq)
	if fault.Is(err, fault.NotFound) {
		return e, false, nil // forgotten in the meantime
	}
	if err != nil {
		return e, false, err
	}
	e, smaller := window.Measure(e, &f.Entries[e.Seq-1], m)
	return e, smaller, nil
}
