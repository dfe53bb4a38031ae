package engine

import (
	"ctxledger.dev/compaction"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// refuse records that a compaction came to nothing: the view stays as it was. What a model cost is booked
// on the session all the same. One that the policy asked for counts as an attempt that saved nothing, so
// that it is not repeated for ever.
func (l *Local) refuse(tx kv.Tx, r ledger.AcceptCompactionRequest, ready *accepted, m mutation) (ledger.Summary, []ledger.Event, error) {
	rec := ready.Record
	out := ledger.Summary{Record: compaction.Record{Session: r.Session, Mode: rec.Mode, Requested: rec.Requested, Run: rec.Run}, Refused: ready.Outcome, Why: ready.Why}
	s, err := sessions.Get(tx, r.Session)
	if err != nil {
		return ledger.Summary{}, nil, err
	}
	c := ready.folded.counter(r.Options.Model)
	told := ledger.CompactionSkipped{
		Sizes: sizes(c, ready.before, ready.before), Reason: r.Options.Reason, Outcome: ready.Outcome, Why: ready.Why,
		Counted: ready.before, Model: ready.window.Model, Window: ready.window.Tokens, Cost: costOf(ready.folded.models, rec.Run),
	}
	event, err := newEvent(ledger.EventSkipped, s.ID, s.Seq, told)
	if err != nil {
		return ledger.Summary{}, nil, err
	}
	events := []ledger.Event{event}
	if cost := rec.Run.Cost(); cost != nil {
		e, err := sessions.Append(tx, &s, sessions.Entry{Kind: sessions.KindCost, Time: m.at, Turn: s.Turns, Usage: cost, Note: cutLabel(rec.Run.String())}, nil)
		if err != nil {
			return ledger.Summary{}, nil, err
		}
		s.Usage = s.Usage.Add(e.Spent())
		events[0].Entry = e.Seq
	}
	if window.Automatic(r.Options.Reason) {
		if events, err = recordNotes(tx, &s, []note{{ledger.EventSkipped, told}}, m); err != nil {
			return ledger.Summary{}, nil, err
		}
	}
	return out, events, sessions.Save(tx, s)
}

// compactionEvents tells a compaction that is accepted, and beside it that a model's words were not taken.
func (l *Local) compactionEvents(ready *accepted, rec compaction.Record, o compaction.Options, entry int64) ([]ledger.Event, error) {
	f, c := ready.folded, ready.folded.counter(o.Model)
	made := ledger.CompactionMade{
		Sizes: sizes(c, rec.Before, rec.After), Previous: rec.Previous, Reason: o.Reason, ModeRequested: o.Mode, ModeUsed: rec.Mode,
		FromTurn: rec.TurnFrom, ToTurn: rec.TurnTo, TurnsRetained: max(0, f.session.Turns-rec.TurnTo),
		MessagesBefore: len(f.view.Slots), MessagesAfter: ready.messages,
		Savings: float64(rec.Before-rec.After) / float64(max(rec.Before, 1)), Window: ready.window.Tokens,
		Threshold: ready.folded.policy.Compact.Threshold(ready.window.Tokens), SummaryTokens: c.Of(summaryTokens(ready.Text)).N, Cost: costOf(f.models, rec.Run),
	}
	if made.ModeRequested == "" {
		made.ModeRequested = rec.Mode
	}
	if f.view.Summary != "" {
		made.MessagesBefore++
	}
	failed := rec.Run != nil && rec.Run.Status != compaction.Accepted
	if failed {
		made.Fallback = rec.Run.Reason
	}
	event, err := newEvent(ledger.EventCompaction, f.session.ID, entry, made)
	if err != nil {
		return nil, err
	}
	event.ID = rec.ID
	if !failed {
		return []ledger.Event{event}, nil
	}
	second, err := newEvent(ledger.EventFailed, f.session.ID, entry, ledger.CompactionFailed{
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

// sizes are those of a view before and after, in tokens of the counter's model.
func sizes(c tokens.Counter, before, after int) ledger.Sizes {
	b := c.Of(before)
	return ledger.Sizes{Before: b.N, After: c.Of(after).N, Estimate: !b.Exact}
}
