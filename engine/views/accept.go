package views

import (
	"cmp"
	"context"
	"slices"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// AcceptCompaction implements ledger.Compactions. The plan is computed here, so that no caller can commit one that the ledger would
// not make. It is computed again when the log has grown meanwhile, unless the caller names the position of the plan that
// it has seen. The key identifies session and options, so that a repeated request gets its answer even if the log has
// grown.
func (l *Views) AcceptCompaction(ctx context.Context, r ledger.AcceptCompactionRequest) (ledger.Summary, error) {
	m := l.core.NewMutation("compact", r.Key, r.PlanCompactionRequest).Check(checkAccept(r))
	s, done, err := core.PreviousResponse[ledger.Summary](ctx, l.core, m)
	if err != nil || done && s.ID == "" {
		return s, err
	}
	if done {
		return l.Summary(ctx, ledger.SummaryRequest{ID: s.ID})
	}
	if err := checkAnswer(r); err != nil {
		return s, err
	}
	defer l.core.HoldBlobs()()
	for range limits.Plans {
		ready, err := core.View(ctx, l.core, func(tx kv.Tx) (*accepted, error) { return l.planned(ctx, tx, r) })
		if err != nil {
			return s, err
		}
		s, err := core.Mutate(ctx, l.core, m, func(tx kv.Tx) (ledger.Summary, []ledger.Event, error) {
			return l.conclude(ctx, tx, r, ready, m)
		})
		if err == nil && s.ID != "" {
			s.Text = ready.Text
		}
		if !fault.Is(err, fault.Stale) || pinned(r) {
			return s, err
		}
	}
	return s, fault.New(fault.Stale, "engine.accept",
		"session %s grew %d times while its compaction was being recorded", r.Session, limits.Plans).
		WithHint("compact again when the agent pauses")
}

// checkAccept refuses what cannot be accepted, whatever the log says.
func checkAccept(r ledger.AcceptCompactionRequest) error {
	if r.Options.Whole {
		return fault.New(fault.Invalid, "engine.accept",
			"a document of the whole session is for another chat: it compacts nothing")
	}
	return checkPlan(r.PlanCompactionRequest)
}

// pinned reports whether the log must not have grown since the caller saw the plan. A session may grow while a model
// writes: with an answer only the range must be unchanged.
func pinned(r ledger.AcceptCompactionRequest) bool { return r.Position != 0 && r.Answer == nil }

// accepted is a plan that can be recorded as a compaction, or as refused.
type accepted struct {
	compaction.Proposal
	folded   *core.Folded
	window   ledger.Window
	before   int           // o200k_base tokens of the view
	joined   []window.Edit // see Join
	after    window.View
	messages int // of after, with the summary
}

// conclude records in the log what became of a plan.
func (l *Views) conclude(
	ctx context.Context, tx kv.Tx, r ledger.AcceptCompactionRequest, ready *accepted, m core.Mutation,
) (ledger.Summary, []ledger.Event, error) {
	ready.folded.UseEstimators(tx) // it was folded in another transaction
	if ready.Outcome != compaction.Compacted {
		return l.refuse(tx, r, ready, m)
	}
	return l.accept(ctx, tx, r, ready, m)
}

// planned plans in the log as it is now, with the answer of a model where there is one.
func (l *Views) planned(ctx context.Context, tx kv.Tx, r ledger.AcceptCompactionRequest) (*accepted, error) {
	f, err := l.foldToCompact(tx, r.PlanCompactionRequest)
	if err != nil {
		return nil, err
	}
	if pinned(r) && f.Session.Seq != r.Position {
		return nil, core.Stale(f.Session, r.Position)
	}
	p, err := l.plan(ctx, tx, f, r.Options, r.Answer)
	if err != nil {
		return nil, err
	}
	return l.ready(ctx, tx, f, p, r.Options)
}

// ready prepares a proposal for being recorded.
func (l *Views) ready(
	ctx context.Context, tx kv.Tx, f *core.Folded, p compaction.Proposal, o compaction.Options,
) (*accepted, error) {
	ready := &accepted{Proposal: p, folded: f}
	var err error
	if ready.window, err = l.windowOf(tx, f, o.Model); err != nil {
		return nil, err
	}
	_, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return nil, err
	}
	ready.before = f.Tokens(text)
	if p.Outcome != compaction.Compacted {
		return ready, nil
	}
	if ready.joined, err = l.Join(ctx, tx, f, &ready.Proposal, o); err != nil {
		return nil, err
	}
	ready.after = viewAfter(f, ready.Record, ready.joined)
	if ready.messages, err = l.checkAfter(ctx, tx, f, p.Text, ready.after); err != nil {
		return nil, err
	}
	ready.Record, err = l.core.StoreText(ctx, ready.Record, p.Text)
	return ready, err
}

// checkAfter checks that the view after a compaction is valid for its provider, as it would be sent. It returns how many
// messages that view has.
func (l *Views) checkAfter(
	ctx context.Context, tx kv.Tx, f *core.Folded, summary string, after window.View,
) (int, error) {
	format, head := formatOf(f), after.Head()
	messages, err := l.rendered(ctx, tx, f, after.Slots[:head])
	if err != nil {
		return 0, err
	}
	kept, err := l.rendered(ctx, tx, f, after.Slots[head:])
	if err != nil {
		return 0, err
	}
	messages = slices.Concat(messages, [][]byte{transcript.NewMessage(format, transcript.RoleUser, summary)}, kept)
	if err := transcript.Valid(format, messages); err != nil {
		return 0, fault.New(fault.Internal, "engine.accept",
			"the compacted view would not be valid for its provider, so nothing was changed: %v", err)
	}
	return len(after.Slots) + 1, nil
}

// viewAfter returns the view after a compaction and the edits that it takes along.
func viewAfter(f *core.Folded, r compaction.Record, joined []window.Edit) window.View {
	in := f.Input()
	in.Cutoff = &window.Cutoff{Summary: r.ID, FirstKept: r.FirstKept, Resume: r.Resume}
	in.Edits = append(in.Edits, joined...)
	return window.Plan(in)
}

// rendered returns the messages of slots as they would be sent.
func (l *Views) rendered(ctx context.Context, tx kv.Tx, f *core.Folded, slots []window.Slot) ([][]byte, error) {
	var messages [][]byte
	for _, slot := range slots {
		pieces, err := l.render(ctx, tx, f, slot)
		if err != nil {
			return nil, err
		}
		for _, m := range pieces {
			messages = append(messages, m.JSON)
		}
	}
	return messages, nil
}

// accept records a compaction in the log.
func (l *Views) accept(
	ctx context.Context, tx kv.Tx, r ledger.AcceptCompactionRequest, ready *accepted, m core.Mutation,
) (ledger.Summary, []ledger.Event, error) {
	s, err := sessions.Get(tx, r.Session)
	if err != nil {
		return ledger.Summary{}, nil, err
	}
	if s.Seq != ready.folded.Session.Seq {
		return ledger.Summary{}, nil, core.Stale(s, ready.folded.Session.Seq)
	}
	rec := ready.Record
	rec.Created, rec.Reason, rec.Model, rec.Window = m.At, r.Options.Reason, ready.window.Model, ready.window.Tokens
	if spent := spent(ready.folded, rec.From, rec.To).Add(rec.Run.Spent()); spent != (sessions.Usage{}) {
		rec.Usage = &spent
	}
	rec.Figures = counted(ready.folded, ready.Proposal, ready.after, r.Options.Model)
	made := sessions.Entry{Kind: sessions.KindCompaction, Time: m.At, Usage: rec.Run.Cost()}
	e, err := sessions.AppendOwn(tx, &s, made, rec)
	if err != nil {
		return ledger.Summary{}, nil, err
	}
	s.Charge(rec.Run.Bill())
	err = cmp.Or(kv.PutJSON(tx, core.BucketSummaries, []byte(rec.ID), core.SummaryPlace{Session: s.ID, Seq: e.Seq}),
		tx.Put(core.BucketSummaryText, []byte(rec.TextHash), []byte(rec.ID)), l.core.ReferenceBlob(tx, rec.TextBlob))
	err = cmp.Or(err, core.AliasBehind(tx, ready.folded.Session, rec.Resume))
	events, wrong := l.compactionEvents(ready, rec, r.Options, e.Seq)
	if err = cmp.Or(err, wrong); err != nil {
		return ledger.Summary{}, nil, err
	}
	if len(ready.joined) > 0 {
		after := ready.folded.Clone() // the transaction may run twice
		after.Session = s
		if err := after.Extend(e); err != nil {
			return ledger.Summary{}, nil, err
		}
		step := core.EditStep{
			Reason: "compaction", Before: rec.Before, After: rec.After, Edits: ready.joined, Agent: after.Agent,
			Summary: rec.ID,
		}
		taken, err := l.recordStep(ctx, tx, after, step, sizing{Model: r.Options.Model}, m)
		if err != nil {
			return ledger.Summary{}, nil, err
		}
		s, events = after.Session, append(events, taken...)
	}
	rec.Text, rec.TextBlob = "", "" // the response is stored with the key, without the text
	out := summary(ready.folded, rec)
	out.Current = true
	return out, events, sessions.Save(tx, s)
}
