package views

import (
	"cmp"
	"context"
	"slices"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// PlanCompaction implements ledger.Compactions.
func (l *Views) PlanCompaction(
	ctx context.Context, r ledger.PlanCompactionRequest,
) (ledger.CompactionPlan, error) {
	if err := checkPlan(r); err != nil {
		return ledger.CompactionPlan{}, err
	}
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.CompactionPlan, error) {
		f, err := l.foldToCompact(tx, r)
		if err != nil {
			return ledger.CompactionPlan{}, err
		}
		p, err := l.plan(ctx, tx, f, r.Options, nil)
		if err != nil {
			return ledger.CompactionPlan{}, err
		}
		joined, err := l.Join(ctx, tx, f, &p, r.Options)
		if err != nil {
			return ledger.CompactionPlan{}, err
		}
		p.Record.Text, p.Record.Figures = p.Text, counted(f, p, viewAfter(f, p.Record, joined), r.Options.Model)
		return ledger.CompactionPlan{
			PlanCompactionRequest: r, Position: f.Session.Seq, Outcome: p.Outcome, Why: p.Why,
			Summary: summary(f, p.Record), Brief: p.Brief,
		}, nil
	})
}

// checkPlan refuses options beyond their limits.
func checkPlan(r ledger.PlanCompactionRequest) error {
	o := r.Options
	return core.CheckTexts("engine.plan", core.Label("session", r.Session), core.Label("agent", r.Agent),
		core.Text("notes", o.Notes, limits.Notes), core.Label("model", o.Model),
		core.Label("reason", o.Reason), core.Text("focus", o.Focus, core.MaxQuery),
		core.Label("mode", string(o.Mode)), core.Label("sections", o.Preset))
}

// foldToCompact folds the log of a session. It refuses one of which nothing is left.
func (l *Views) foldToCompact(tx kv.Tx, r ledger.PlanCompactionRequest) (*core.Folded, error) {
	f, err := l.core.FoldFor(tx, r.Session, r.Reader, true)
	if err == nil {
		err = ledger.RefuseGone(f.Session)
	}
	return f, err
}

// plan plans a compaction, with the answer of a model where there is one.
func (l *Views) plan(
	ctx context.Context, tx kv.Tx, f *core.Folded, o compaction.Options, answer *compaction.Answer,
) (compaction.Proposal, error) {
	set := f.Policy.Compact
	o.Reasoning, o.NoReads = o.Reasoning || set.Reasoning, o.NoReads || set.NoReads
	o.Symbols, o.NoRouting = o.Symbols || set.Symbols, o.NoRouting || set.NoRouting
	if o.PromptChars = cmp.Or(o.PromptChars, set.PromptChars); o.PromptChars == 0 {
		o.PromptChars = -1
	}
	in, err := l.compactionInput(ctx, tx, f, o)
	if err != nil {
		return compaction.Proposal{}, err
	}
	if answer != nil {
		return compaction.Finish(in, o, *answer)
	}
	return compaction.Plan(in, o)
}

// compactionInput gathers the input of the compaction domain from a session.
func (l *Views) compactionInput(
	ctx context.Context, tx kv.Tx, f *core.Folded, o compaction.Options,
) (compaction.Input, error) {
	whole := f.Whole()
	in := compaction.Input{
		Session: f.Session, Position: f.Session.Seq, Previous: f.Current(), Mask: l.core.Masks.String,
		Words: f.Words, WordsTo: f.WordsTo,
		Items: make([]compaction.Item, 0, len(whole)),
		Message: func(seq int64) (transcript.Message, error) {
			return l.core.DecodeEntry(ctx, tx, f, seq)
		},
	}
	w, err := l.windowOf(tx, f, o.Model)
	if err != nil {
		return in, err
	}
	in.Window, in.Exact = w.Tokens, f.Counter(o.Model).Exact()
	in.Effective = f.Policy.Compact.Usable()
	in.Keep = f.Policy.Keep
	if in.Previous != nil {
		in.FirstKept = in.Previous.FirstKept
		if in.PreviousText, err = l.core.ShownText(ctx, *in.Previous); err != nil {
			return in, err
		}
	}
	head := window.View{Slots: whole}.Head()
	for _, slot := range whole[:head] {
		in.Head += slot.Tokens
	}
	for _, slot := range whole[head:] {
		in.Items = append(in.Items, item(f, slot))
	}
	in.Earlier = hostSummary(f, in.Items)
	in.Steering = steering(f)
	in.Host, in.HostTokens = f.View.Host, hostTokens(f.View)
	if in.Notes, in.Attempts, err = f.Notes(tx); err != nil {
		return in, err
	}
	return in, l.gather(tx, f, &in)
}

// hostTokens is the size of the host's own summary at the start of a view, with what the host kept behind it.
func hostTokens(v window.View) (n int) {
	for _, slot := range v.Slots[v.Head():] {
		if slot.Seqs[0] <= v.Host {
			n += slot.Tokens
		}
	}
	return n
}

// hostSummary returns the newest summary that the host made of messages that are still among the items, nil if there is
// none. The view hides it because it has the messages themselves.
func hostSummary(f *core.Folded, items []compaction.Item) *compaction.Item {
	for i := len(f.Entries) - 1; i > 0; i-- {
		e := &f.Entries[i]
		if !e.Hidden || !e.Earlier || e.Author != "" || e.Forgotten != nil {
			continue
		}
		before := i - 1
		for before > 0 && (f.Entries[before].Hidden || f.Entries[before].Kind != sessions.KindMessage) {
			before--
		}
		// A rewind to a point before it took it back.
		shown := func(it compaction.Item) bool { return slices.Contains(it.Seqs, int64(before+1)) }
		if slices.ContainsFunc(items, shown) {
			return &compaction.Item{Seqs: []int64{e.Seq}, Role: e.Role, Earlier: true, Turn: e.Turn, ID: e.ID}
		}
	}
	return nil
}

// item joins the entries of one message of the view.
func item(f *core.Folded, slot window.Slot) compaction.Item {
	it := compaction.Item{
		Seqs: slot.Seqs, Role: slot.Role, Prompt: slot.Prompt, Turn: slot.Turn, Tokens: slot.Tokens,
		Compacted: slot.Compacted,
	}
	for _, seq := range slot.Seqs {
		e := f.Entries[seq-1] // sequence numbers have no gaps
		if it.ID == "" {
			it.ID, it.Author = e.ID, e.Author
		}
		if slot.Note == "" {
			it.Calls = append(it.Calls, e.Calls...)
			for _, r := range e.Results {
				it.Results = append(it.Results, compaction.Result{Result: r, Handle: e.ResultHandle(r.CallID)})
			}
		}
		it.Earlier = it.Earlier || e.Earlier && e.Forgotten == nil
		it.Loaded = e.Loaded && slot.Note == ""
		it.Chars += e.Chars
		it.Names = append(it.Names, e.Names...)
		it.Paths = append(it.Paths, e.Paths...)
	}
	return it
}

// gather adds the session's operations and artifacts.
func (l *Views) gather(tx kv.Tx, f *core.Folded, in *compaction.Input) error {
	ops, err := intents.OfSession(tx, f.Session.ID)
	if err != nil {
		return err
	}
	for _, o := range ops {
		in.Operations = append(in.Operations, compaction.Operation{Intent: o})
	}
	for _, e := range f.Entries {
		for _, r := range e.Results {
			if r.Artifact == "" {
				continue
			}
			a, err := artifacts.Get(tx, r.Artifact)
			if err != nil {
				return err
			}
			in.Artifacts = append(in.Artifacts, compaction.ArtifactRef{ID: a.ID, Label: a.Describe(), Seq: e.Seq,
				Tokens: a.Tokens})
		}
	}
	return nil
}
