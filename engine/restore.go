package engine

import (
	"context"
	"encoding/json"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// Restore implements API.
func (l *Local) Restore(ctx context.Context, r RestoreRequest) (RestoreResponse, error) {
	m, err := l.mutation("restore", r.Key, r)
	if err != nil {
		return RestoreResponse{}, err
	}
	return mutate(ctx, l, m, func(tx kv.Tx) (RestoreResponse, []Event, error) { return l.restore(ctx, tx, r.ID, m) })
}

// restore notes in the log that a compaction was taken back.
func (l *Local) restore(ctx context.Context, tx kv.Tx, id string, m mutation) (RestoreResponse, []Event, error) {
	var zero RestoreResponse
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
	_, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return zero, nil, err
	}
	resp := RestoreResponse{Session: f.session.ID, Tokens: f.counter("").Of(f.tokens(text))}
	resp.Window, _ = l.models.Window(f.session.Model)
	if cur := f.current(); cur != nil {
		resp.Current = cur.ID
	}
	return resp, []Event{{Kind: EventRestore, Session: f.session.ID, Entry: e.Seq, ID: id}}, sessions.Save(tx, f.session)
}
