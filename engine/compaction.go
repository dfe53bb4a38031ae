package engine

import (
	"context"
	"encoding/json"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// PlanCompaction implements API.
func (l *Local) PlanCompaction(ctx context.Context, r PlanCompactionRequest) (CompactionPlan, error) {
	return view(ctx, l, func(tx kv.Tx) (CompactionPlan, error) {
		p, f, err := l.plan(ctx, tx, r)
		if err != nil {
			return CompactionPlan{}, err
		}
		p.Record.Text = p.Text
		return CompactionPlan{
			PlanCompactionRequest: r, Position: f.session.Seq, Outcome: p.Outcome, Why: p.Why,
			Summary: f.summary(p.Record, p.Text, r.Options.Model),
		}, nil
	})
}

// plan folds the session and asks the compaction domain.
func (l *Local) plan(ctx context.Context, tx kv.Tx, r PlanCompactionRequest) (compaction.Proposal, *folded, error) {
	if len(r.Options.Notes) > limits.Notes {
		return compaction.Proposal{}, nil, fault.New(fault.TooLarge, "engine.plan", "notes of %d bytes, more than %d", len(r.Options.Notes), limits.Notes)
	}
	f, err := l.fold(tx, r.Session)
	if err != nil {
		return compaction.Proposal{}, nil, err
	}
	in, err := l.compactionInput(ctx, tx, f, r.Options)
	if err != nil {
		return compaction.Proposal{}, nil, err
	}
	p, err := compaction.Plan(in, r.Options)
	return p, f, err
}

// compactionInput gathers what the compaction domain reads of a session.
func (l *Local) compactionInput(ctx context.Context, tx kv.Tx, f *folded, o compaction.Options) (compaction.Input, error) {
	whole := window.Plan(window.Input{Entries: f.entries})
	in := compaction.Input{
		Session: f.session, Position: f.session.Seq, Previous: f.current(),
		Items: make([]compaction.Item, 0, len(whole.Slots)),
		Text: func(seq int64) (string, error) {
			m, err := l.decoded(ctx, tx, f.session.ID, seq)
			return transcript.PlainText(m), err
		},
		Result: func(seq int64, callID string) (string, error) {
			m, err := l.decoded(ctx, tx, f.session.ID, seq)
			for _, p := range m.Parts {
				if p.Kind == transcript.KindResult && p.ID == callID {
					return p.Text, err
				}
			}
			return "", err
		},
	}
	model := o.Model
	if model == "" {
		model = f.session.Model
	}
	in.Window, _ = tokens.Window(model)
	if in.Previous != nil {
		in.FirstKept = in.Previous.FirstKept
		var err error
		if in.PreviousText, err = l.summaryText(ctx, *in.Previous); err != nil {
			return in, err
		}
	}
	for _, slot := range whole.Slots {
		in.Items = append(in.Items, f.item(slot))
	}
	return in, l.gather(tx, f, &in)
}

// item joins the entries of one message of the view.
func (f *folded) item(slot window.Slot) compaction.Item {
	it := compaction.Item{Seqs: slot.Seqs, Role: slot.Role, Prompt: slot.Prompt, Turn: slot.Turn, Tokens: slot.Tokens}
	for _, seq := range slot.Seqs {
		e := f.entries[seq-1] // sequence numbers have no gaps
		if it.ID == "" {
			it.ID = e.ID
		}
		it.Calls = append(it.Calls, e.Calls...)
		it.Results = append(it.Results, e.Results...)
		it.Names = append(it.Names, e.Names...)
		it.Paths = append(it.Paths, e.Paths...)
	}
	return it
}

// gather adds the session's operations and artifacts.
func (l *Local) gather(tx kv.Tx, f *folded, in *compaction.Input) error {
	ops, err := intents.OfSession(tx, f.session.ID)
	if err != nil {
		return err
	}
	for _, o := range ops {
		in.Operations = append(in.Operations, compaction.Operation{
			Seq: o.Seq, Turn: o.Turn, Agent: o.Agent, Name: o.Name, Op: o.Op, Target: o.Target, From: o.From,
			Command: o.Command, Status: string(o.Status), Error: o.Error, Outcome: o.Outcome, ExitCode: o.ExitCode, CallID: o.CallID,
			Acts: l.fileActs(f.session.Dir, o.Command),
		})
	}
	for _, e := range f.entries {
		for _, r := range e.Results {
			if r.Artifact == "" {
				continue
			}
			a, err := artifacts.Get(tx, r.Artifact)
			if err != nil {
				return err
			}
			in.Artifacts = append(in.Artifacts, compaction.ArtifactRef{ID: a.ID, Label: a.Describe(), Seq: e.Seq, Tokens: a.Tokens})
		}
	}
	return nil
}

// fileActs returns the files that a shell command plainly moves or deletes.
func (l *Local) fileActs(dir, command string) []compaction.FileAct {
	var out []compaction.FileAct
	for _, act := range shell.Acts(command) {
		if act.Verb != shell.Move && act.Verb != shell.Delete {
			continue
		}
		from, _ := l.normal(dir, act.Path)
		to, _ := l.normal(dir, act.To)
		out = append(out, compaction.FileAct{From: from, To: to, Git: act.Git})
	}
	return out
}

// decoded returns the message of one entry.
func (l *Local) decoded(ctx context.Context, tx kv.Tx, session string, seq int64) (transcript.Message, error) {
	e, err := sessions.GetEntry(tx, session, seq)
	if err != nil {
		return transcript.Message{}, err
	}
	raw, err := l.message(ctx, e)
	if err != nil {
		return transcript.Message{}, err
	}
	return transcript.Decode(e.Format, raw)
}

// summary adds to a record the counts for a model.
func (f *folded) summary(r compaction.Record, text, model string) Summary {
	c := f.counter(model)
	s := Summary{
		Record: r, TextTokens: c.Of(tokens.O200kBase.CountString(text)), TokensBefore: c.Of(r.Before), TokensAfter: c.Of(r.After),
		Current: f.now == r.ID,
	}
	if at, gone := f.undone[r.ID]; gone {
		s.Restored = &at
	}
	return s
}

// AcceptCompaction implements API. The plan is computed again from the same log, so that nobody
// can commit a plan that the ledger would not make; the summary's text is therefore the same. The
// key stands for session and options: repeated after the log went on, it still gets its answer.
func (l *Local) AcceptCompaction(ctx context.Context, r AcceptCompactionRequest) (Summary, error) {
	m, err := l.mutation("compact", r.Key, r.PlanCompactionRequest)
	if err != nil {
		return Summary{}, err
	}
	ready, planErr := view(ctx, l, func(tx kv.Tx) (*accepted, error) { return l.acceptable(ctx, tx, r) })
	return mutate(ctx, l, m, func(tx kv.Tx) (Summary, []Event, error) {
		if planErr != nil {
			return Summary{}, nil, planErr
		}
		return l.accept(tx, r, ready, m)
	})
}

// accepted is a plan that is ready to be written.
type accepted struct {
	record compaction.Record
	text   string
	folded *folded
}

// acceptable plans again and checks that the log has not moved on.
func (l *Local) acceptable(ctx context.Context, tx kv.Tx, r AcceptCompactionRequest) (*accepted, error) {
	p, f, err := l.plan(ctx, tx, r.PlanCompactionRequest)
	if err != nil {
		return nil, err
	}
	if f.session.Seq != r.Position {
		return nil, stale(f.session, r.Position)
	}
	if p.Outcome != compaction.Compacted {
		return nil, fault.New(fault.Invalid, "engine.accept", "there is nothing to accept: %s", p.Why)
	}
	record, err := l.keepText(ctx, p.Record, p.Text)
	return &accepted{record, p.Text, f}, err
}

// accept writes an accepted plan into the log.
func (l *Local) accept(tx kv.Tx, r AcceptCompactionRequest, ready *accepted, m mutation) (Summary, []Event, error) {
	s, err := sessions.Get(tx, r.Session)
	if err != nil {
		return Summary{}, nil, err
	}
	if s.Seq != r.Position {
		return Summary{}, nil, stale(s, r.Position)
	}
	rec := ready.record
	rec.Created, rec.Reason = m.at, r.Options.Reason
	data, err := json.Marshal(rec)
	if err != nil {
		return Summary{}, nil, fault.Wrap(fault.Internal, "engine.accept", err)
	}
	e, err := sessions.Append(tx, &s, sessions.Entry{Kind: sessions.KindCompaction, Time: m.at, Turn: s.Turns, Data: data}, nil)
	if err != nil {
		return Summary{}, nil, err
	}
	if err := indexSummary(tx, rec, s.ID, e.Seq); err != nil {
		return Summary{}, nil, err
	}
	rec.Text, rec.TextBlob = "", "" // the answer is kept under the key: it names the summary, Summary returns it
	out := ready.folded.summary(rec, ready.text, r.Options.Model)
	out.Current = true
	return out, []Event{{Kind: EventCompaction, Session: s.ID, Entry: e.Seq, ID: rec.ID}}, sessions.Save(tx, s)
}

// indexSummary makes a summary findable by its id and by its text.
func indexSummary(tx kv.Tx, rec compaction.Record, session string, seq int64) error {
	place, err := json.Marshal(summaryPlace{session, seq})
	if err != nil {
		return fault.Wrap(fault.Internal, "engine.accept", err)
	}
	if err := tx.Put(bucketSummaries, []byte(rec.ID), place); err != nil {
		return err
	}
	return tx.Put(bucketSummaryText, []byte(rec.TextHash), []byte(rec.ID))
}

func stale(s sessions.Session, position int64) error {
	return fault.New(fault.Stale, "engine.accept", "the log of session %s went on from entry %d to %d since the plan was made", s.ID, position, s.Seq).
		WithHint("plan again")
}

// Summaries implements API.
func (l *Local) Summaries(ctx context.Context, r SummariesRequest) (SummariesResponse, error) {
	return view(ctx, l, func(tx kv.Tx) (SummariesResponse, error) {
		resp := SummariesResponse{Summaries: []Summary{}}
		f, err := l.fold(tx, r.Session)
		if err != nil {
			return resp, err
		}
		for _, rec := range f.records {
			text, err := l.summaryText(ctx, rec)
			if err != nil {
				return resp, err
			}
			rec.Text, rec.TextBlob, rec.Cut = "", "", nil
			resp.Summaries = append(resp.Summaries, f.summary(rec, text, ""))
		}
		return resp, nil
	})
}

// Summary implements API.
func (l *Local) Summary(ctx context.Context, r SummaryRequest) (Summary, error) {
	return view(ctx, l, func(tx kv.Tx) (Summary, error) {
		rec, err := knownSummary(tx, r.ID)
		if err != nil {
			return Summary{}, err
		}
		f, err := l.fold(tx, rec.Session)
		if err != nil {
			return Summary{}, err
		}
		if rec.Text, err = l.summaryText(ctx, *rec); err != nil {
			return Summary{}, err
		}
		rec.TextBlob = ""
		return f.summary(*rec, rec.Text, ""), nil
	})
}

func knownSummary(tx kv.Tx, id string) (*compaction.Record, error) {
	rec, _, err := summaryRecord(tx, id)
	if err == nil && rec == nil {
		err = fault.New(fault.NotFound, "engine.summary", "no summary %q in this workspace", id).
			WithHint("`ctxledger sessions` shows the sessions and their summaries")
	}
	return rec, err
}

// Restore implements API.
func (l *Local) Restore(ctx context.Context, r RestoreRequest) (RestoreResponse, error) {
	m, err := l.mutation("restore", r.Key, r)
	if err != nil {
		return RestoreResponse{}, err
	}
	done, err := mutate(ctx, l, m, func(tx kv.Tx) (RestoreResponse, []Event, error) { return l.restore(tx, r.ID, m) })
	if err != nil {
		return done, err
	}
	return view(ctx, l, func(tx kv.Tx) (RestoreResponse, error) {
		f, err := l.fold(tx, done.Session)
		if err != nil {
			return done, err
		}
		_, text, err := l.summaryMessage(ctx, f)
		done.Tokens = f.counter("").Of(f.tokens(text))
		done.Window, _ = tokens.Window(f.session.Model)
		return done, err
	})
}

// restore notes in the log that a compaction was taken back.
func (l *Local) restore(tx kv.Tx, id string, m mutation) (RestoreResponse, []Event, error) {
	var zero RestoreResponse
	rec, err := knownSummary(tx, id)
	if err != nil {
		return zero, nil, err
	}
	f, err := l.fold(tx, rec.Session)
	if err != nil {
		return zero, nil, err
	}
	if at, gone := f.undone[id]; gone {
		return zero, nil, fault.New(fault.Conflict, "engine.restore", "summary %s was taken back already, on %s", id, at.Format("2006-01-02 15:04:05"))
	}
	data, err := json.Marshal(restored{id})
	if err != nil {
		return zero, nil, fault.Wrap(fault.Internal, "engine.restore", err)
	}
	e, err := sessions.Append(tx, &f.session, sessions.Entry{Kind: sessions.KindRestore, Time: m.at, Turn: f.session.Turns, Data: data}, nil)
	if err != nil {
		return zero, nil, err
	}
	if err := f.compactions.add(e); err != nil {
		return zero, nil, err
	}
	resp := RestoreResponse{Session: f.session.ID, Current: f.now}
	return resp, []Event{{Kind: EventRestore, Session: f.session.ID, Entry: e.Seq, ID: id}}, sessions.Save(tx, f.session)
}
