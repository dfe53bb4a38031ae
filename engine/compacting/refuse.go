package compacting

import (
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/engine/views"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// refuse records that a compaction came to nothing: the view stays as it was. What a model cost is booked
// on the session all the same. One that the policy asked for counts as an attempt that saved nothing, so
// that it is not repeated for ever.
func (l *Compactions) refuse(tx kv.Tx, r ledger.AcceptCompactionRequest, ready *accepted, m core.Mutation) (ledger.Summary, []ledger.Event, error) {
	rec := ready.Record
	out := ledger.Summary{Record: compaction.Record{Session: r.Session, Mode: rec.Mode, Requested: rec.Requested, Run: rec.Run}, Refused: ready.Outcome, Why: ready.Why}
	s, err := sessions.Get(tx, r.Session)
	if err != nil {
		return ledger.Summary{}, nil, err
	}
	c := ready.folded.Counter(r.Options.Model)
	told := ledger.CompactionSkipped{
		Sizes: views.Sizes(c, ready.before, ready.before), Reason: r.Options.Reason, Outcome: ready.Outcome, Why: ready.Why,
		Counted: ready.before, Model: ready.window.Model, Window: ready.window.Tokens, Cost: costOf(ready.folded.Models, rec.Run),
	}
	event, err := core.NewEvent(ledger.EventSkipped, s.ID, s.Seq, told)
	if err != nil {
		return ledger.Summary{}, nil, err
	}
	events := []ledger.Event{event}
	if cost := rec.Run.Cost(); cost != nil {
		e, err := sessions.Append(tx, &s, sessions.Entry{Kind: sessions.KindCost, Time: m.At, Turn: s.Turns, Usage: cost, Note: core.CutLabel(rec.Run.String())}, nil)
		if err != nil {
			return ledger.Summary{}, nil, err
		}
		s.Usage = s.Usage.Add(e.Spent())
		events[0].Entry = e.Seq
	}
	if window.Automatic(r.Options.Reason) {
		if events, err = core.RecordDecisions(tx, &s, []core.Decision{{Event: ledger.EventSkipped, Data: told}}, m); err != nil {
			return ledger.Summary{}, nil, err
		}
	}
	return out, events, sessions.Save(tx, s)
}

// compactionEvents tells a compaction that is accepted, and beside it that a model's words were not taken.
func (l *Compactions) compactionEvents(ready *accepted, rec compaction.Record, o compaction.Options, entry int64) ([]ledger.Event, error) {
	f, c := ready.folded, ready.folded.Counter(o.Model)
	made := ledger.CompactionMade{
		Sizes: views.Sizes(c, rec.Before, rec.After), Previous: rec.Previous, Reason: o.Reason, ModeRequested: o.Mode, ModeUsed: rec.Mode,
		FromTurn: rec.TurnFrom, ToTurn: rec.TurnTo, TurnsRetained: max(0, f.Session.Turns-rec.TurnTo),
		MessagesBefore: len(f.View.Slots), MessagesAfter: ready.messages,
		Savings: float64(rec.Before-rec.After) / float64(max(rec.Before, 1)), Window: ready.window.Tokens,
		Threshold: ready.folded.Policy.Compact.Threshold(ready.window.Tokens), SummaryTokens: c.Of(core.SummaryTokens(ready.Text)).N, Cost: costOf(f.Models, rec.Run),
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

// costOf is what asking a model took, nil where none was asked.
func costOf(models *tokens.Registry, run *compaction.Run) *ledger.Cost {
	if run == nil || run.Calls == 0 {
		return nil
	}
	cost := &ledger.Cost{Model: run.Model, Usage: run.Usage, Calls: run.Calls, Shrinks: run.Shrinks}
	model, _ := models.Lookup(run.Model)
	sum := 0.0
	for _, part := range []struct {
		n    int64
		rate tokens.Rate
	}{
		{run.Usage.Input, model.Price.Input}, {run.Usage.CacheRead, model.Price.CachedRead},
		{run.Usage.CacheWrite, model.Price.CachedWrite}, {run.Usage.Output, model.Price.Output},
	} {
		dollars, known := part.rate.Dollars(part.n)
		if part.n > 0 && !known {
			return cost
		}
		sum += dollars
	}
	cost.Dollars = &sum
	return cost
}
