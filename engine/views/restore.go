package views

import (
	"context"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// Restore implements ledger.Compactions.
func (l *Views) Restore(ctx context.Context, r ledger.RestoreRequest) (ledger.RestoreResponse, error) {
	m := l.core.NewMutation("restore", r.Key, r)
	return core.Mutate(ctx, l.core, m, func(tx kv.Tx) (ledger.RestoreResponse, []ledger.Event, error) {
		return l.restore(ctx, tx, r.ID, m)
	})
}

// restore records in the log that a compaction was undone.
func (l *Views) restore(
	ctx context.Context, tx kv.Tx, id string, m core.Mutation,
) (ledger.RestoreResponse, []ledger.Event, error) {
	var zero ledger.RestoreResponse
	rec, err := knownSummary(tx, id)
	if err != nil {
		return zero, nil, err
	}
	id = rec.ID
	f, err := l.core.FoldFor(tx, rec.Session, ledger.Reader{}, false)
	if err == nil {
		err = ledger.RefuseGone(f.Session)
	}
	if err != nil {
		return zero, nil, err
	}
	if at, gone := f.Undone[id]; gone {
		return zero, nil, fault.New(fault.Conflict, "engine.restore",
			"summary %s was already undone, on %s", id, at.Format(time.DateTime))
	}
	if !f.InForce(id) {
		return zero, nil, fault.New(fault.Conflict, "engine.restore",
			"summary %s is not part of the view of session %s", id, f.Session.ID).
			WithHint("`ctxledger artifact read SUMMARY` prints its range")
	}
	also := f.Including(id)
	_, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return zero, nil, err
	}
	before := measureOf(f, "").View(f.Tokens(text), nil)
	e, err := sessions.AppendOwn(tx, &f.Session, sessions.Entry{Kind: sessions.KindRestore, Time: m.At},
		core.Restored{ID: id})
	if err != nil {
		return zero, nil, err
	}
	if err := f.Extend(e); err != nil {
		return zero, nil, err
	}
	if _, text, err = l.summaryMessage(ctx, f); err != nil {
		return zero, nil, err
	}
	g := gaugeOf(f, "", unedited(f))
	w, err := l.windowOf(tx, f, "")
	if err != nil {
		return zero, nil, err
	}
	resp := ledger.RestoreResponse{Session: f.Session.ID, Also: also, Tokens: g.View(f.Tokens(text), nil),
		Window: w.Tokens}
	if cur := f.Current(); cur != nil {
		resp.Current = cur.ID
	} else {
		plain := f.Input()
		plain.Edits = nil
		whole := window.Plan(plain)
		resp.Edits, resp.Whole = len(f.Edits()), g.sum(g.weigh(g.own).Total())
		for _, s := range whole.Slots {
			resp.Stubs += len(s.Stubs)
		}
	}
	restored := ledger.CompactionRestored{Sizes: sizesOf(before, resp.Tokens), To: resp.Current}
	event, err := core.NewEvent(ledger.EventRestore, f.Session.ID, e.Seq, restored)
	event.ID = id
	if err != nil {
		return zero, nil, err
	}
	return resp, []ledger.Event{event}, sessions.Save(tx, f.Session)
}
