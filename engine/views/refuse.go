package views

import (
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// refuse records that a compaction was refused and the view did not change. The session is still charged for the
// model. A compaction that the policy requested counts as an attempt that saved nothing, so that it is not repeated
// forever.
func (l *Views) refuse(
	tx kv.Tx, r ledger.AcceptCompactionRequest, ready *accepted, m core.Mutation,
) (ledger.Summary, []ledger.Event, error) {
	rec := ready.Record
	out := ledger.Summary{
		Record:  compaction.Record{Session: r.Session, Mode: rec.Mode, Requested: rec.Requested, Run: rec.Run},
		Refused: ready.Outcome, Why: ready.Why,
	}
	s, err := sessions.Get(tx, r.Session)
	if err != nil {
		return ledger.Summary{}, nil, err
	}
	size := measureOf(ready.folded, r.Options.Model).View(ready.before, nil)
	skipped := ledger.CompactionSkipped{
		Sizes: sizesOf(size, size), Reason: r.Options.Reason, Outcome: ready.Outcome,
		Why:     ready.Why,
		Counted: ready.before, Model: ready.window.Model, Window: ready.window.Tokens,
		Cost: costOf(ready.folded.Models, rec.Run),
	}
	event, err := core.NewEvent(ledger.EventSkipped, s.ID, s.Seq, skipped)
	if err != nil {
		return ledger.Summary{}, nil, err
	}
	events := []ledger.Event{event}
	if cost := rec.Run.Cost(); cost != nil {
		e, err := sessions.Append(tx, &s, sessions.Entry{
			Kind: sessions.KindCost, Time: m.At, Turn: s.Turns, Usage: cost, Note: core.CutLabel(rec.Run.String()),
		}, nil)
		if err != nil {
			return ledger.Summary{}, nil, err
		}
		s.Charge(rec.Run.Bill())
		events[0].Entry = e.Seq
	}
	if window.Automatic(r.Options.Reason) {
		attempt := core.Decision{Event: ledger.EventSkipped, Data: skipped}
		if events, err = core.RecordDecisions(tx, &s, []core.Decision{attempt}, m); err != nil {
			return ledger.Summary{}, nil, err
		}
	}
	return out, events, sessions.Save(tx, s)
}

// compactionEvents returns the event of an accepted compaction, and one more if the model's answer was not used.
func (l *Views) compactionEvents(
	ready *accepted, rec compaction.Record, o compaction.Options, entry int64,
) ([]ledger.Event, error) {
	f := ready.folded
	made := ledger.CompactionMade{
		Sizes: sizesOf(rec.Figures.Before, rec.Figures.After), Previous: rec.Previous, Reason: o.Reason,
		ModeRequested: o.Mode, ModeUsed: rec.Mode,
		FromTurn: rec.TurnFrom, ToTurn: rec.TurnTo, TurnsRetained: max(0, f.Session.Turns-rec.TurnTo),
		MessagesBefore: len(f.View.Slots), MessagesAfter: ready.messages,
		Savings: float64(rec.Before-rec.After) / float64(max(rec.Before, 1)), Window: ready.window.Tokens,
		Threshold:     f.Policy.Compact.Threshold(ready.window.Tokens),
		SummaryTokens: rec.Figures.Text.N, Cost: costOf(f.Models, rec.Run),
	}
	if made.ModeRequested == "" {
		made.ModeRequested = rec.Mode
	}
	if f.View.Summary != "" {
		made.MessagesBefore++
	}
	failed := rec.Run != nil && rec.Run.Status != compaction.Accepted
	if failed {
		made.Fallback = rec.Run.Reason
	}
	event, err := core.NewEvent(ledger.EventCompaction, f.Session.ID, entry, made)
	if err != nil {
		return nil, err
	}
	event.ID = rec.ID
	if !failed {
		return []ledger.Event{event}, nil
	}
	second, err := core.NewEvent(ledger.EventFailed, f.Session.ID, entry, ledger.CompactionFailed{
		Reason: o.Reason, Mode: o.Mode, Class: rec.Run.Status, Why: rec.Run.Reason, Cost: made.Cost, ViewChanged: true,
	})
	second.ID = rec.ID
	return []ledger.Event{second, event}, err
}

// costOf is the cost of calling a model, nil where none was called.
func costOf(models *tokens.Registry, run *compaction.Run) *ledger.Cost {
	if run == nil || run.Calls == 0 {
		return nil
	}
	cost := &ledger.Cost{Model: run.Model, Usage: run.Usage, Calls: run.Calls, Shrinks: run.Shrinks}
	cost.Dollars = run.Bill().Cost(models).Dollars
	return cost
}
