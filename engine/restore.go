package engine

import (
	"context"
	"encoding/json"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Restore implements API.
func (l *Local) Restore(ctx context.Context, r ledger.RestoreRequest) (ledger.RestoreResponse, error) {
	m, err := l.mutation("restore", r.Key, r)
	if err != nil {
		return ledger.RestoreResponse{}, err
	}
	return mutate(ctx, l, m, func(tx kv.Tx) (ledger.RestoreResponse, []ledger.Event, error) { return l.restore(ctx, tx, r.ID, m) })
}

// restore notes in the log that a compaction was taken back.
func (l *Local) restore(ctx context.Context, tx kv.Tx, id string, m mutation) (ledger.RestoreResponse, []ledger.Event, error) {
	var zero ledger.RestoreResponse
	rec, err := knownSummary(tx, id)
	if err != nil {
		return zero, nil, err
	}
	f, err := l.foldIn(tx, rec.Session)
	if err != nil {
		return zero, nil, err
	}
	if at, gone := f.undone[id]; gone {
		return zero, nil, fault.New(fault.Conflict, "engine.restore", "summary %s was taken back already, on %s", id, at.Format(time.DateTime))
	}
	if !f.inForce(id) {
		return zero, nil, fault.New(fault.Conflict, "engine.restore", "summary %s does not stand in the view of session %s", id, f.session.ID).
			WithHint("print its range without --apply")
	}
	_, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return zero, nil, err
	}
	before := f.tokens(text)
	data, err := json.Marshal(restored{id})
	if err != nil {
		return zero, nil, fault.Wrap(fault.Internal, "engine.restore", err)
	}
	e, err := sessions.Append(tx, &f.session, sessions.Entry{Kind: sessions.KindRestore, Time: m.at, Turn: f.session.Turns, Data: data}, nil)
	if err != nil {
		return zero, nil, err
	}
	if err := f.extend(e); err != nil {
		return zero, nil, err
	}
	if _, text, err = l.summaryMessage(ctx, f); err != nil {
		return zero, nil, err
	}
	c, w := f.counter(""), ledger.Window{}
	if w, err = l.windowOf(tx, f, ""); err != nil {
		return zero, nil, err
	}
	resp := ledger.RestoreResponse{Session: f.session.ID, Tokens: c.Of(f.tokens(text)), Window: w.Tokens}
	if cur := f.current(); cur != nil {
		resp.Current = cur.ID
	}
	event, err := newEvent(ledger.EventRestore, f.session.ID, e.Seq, ledger.CompactionRestored{Sizes: sizes(c, before, f.tokens(text)), To: resp.Current})
	event.ID = id
	if err != nil {
		return zero, nil, err
	}
	return resp, []ledger.Event{event}, sessions.Save(tx, f.session)
}
