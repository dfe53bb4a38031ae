package core

import (
	"encoding/json"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// storedDecision is the payload of a KindDecision entry: a decision about a view, or a fact found out about it,
// that changed nothing of it. Earlier decisions and their cycles follow from the log alone, so they survive a
// restart of the owner.
type storedDecision struct {
	Event string          `json:"event"` // the kind of the event that announced it
	Data  json.RawMessage `json:"data"`  // its payload, as in the event
}

// placedDecision is a stored decision with its position in the log.
type placedDecision struct {
	storedDecision
	seq  int64
	turn int
}

// decisions folds the decisions of a log.
type decisions struct {
	taken []placedDecision
}

// add folds one more entry.
func (d *decisions) add(e *sessions.Entry) error {
	if e.Kind != sessions.KindDecision {
		return nil
	}
	var made storedDecision
	if err := json.Unmarshal(e.Data, &made); err != nil {
		return fault.Wrap(fault.Corrupt, "engine.decisions", err)
	}
	d.taken = append(d.taken, placedDecision{made, e.Seq, e.Turn})
	return nil
}

// Decided is a decision of one kind with its payload.
type Decided[T any] struct {
	Data T
	Seq  int64
	Turn int
}

// DecisionsSince returns the decisions of one kind after an entry of the log, oldest first. It skips payloads that do
// not fit the kind: a newer program may have written them.
func DecisionsSince[T any](f *Folded, event string, seq int64) (out []Decided[T]) {
	for _, d := range f.decisions.taken {
		if d.Event != event || d.seq <= seq {
			continue
		}
		var data T
		if json.Unmarshal(d.Data, &data) == nil {
			out = append(out, Decided[T]{data, d.seq, d.turn})
		}
	}
	return out
}

// Decision is a decision to record, with the kind of its event.
type Decision struct {
	Event string
	Data  any
}

// NewEvent returns the event of a decision or a change, with its payload.
func NewEvent(kind, session string, entry int64, data any) (ledger.Event, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return ledger.Event{}, fault.Wrap(fault.Internal, "engine.event", err)
	}
	return ledger.Event{Kind: kind, Session: session, Entry: entry, Data: raw}, nil
}

// RecordDecisions appends decisions to the log of a session, which the caller saves, and returns their events.
func RecordDecisions(tx kv.Tx, s *sessions.Session, notes []Decision, m Mutation) ([]ledger.Event, error) {
	var events []ledger.Event
	for _, n := range notes {
		event, err := NewEvent(n.Event, s.ID, 0, n.Data)
		if err != nil {
			return nil, err
		}
		e, err := sessions.AppendOwn(tx, s, sessions.Entry{Kind: sessions.KindDecision, Time: m.At},
			storedDecision{n.Event, event.Data})
		if err != nil {
			return nil, err
		}
		event.Entry = e.Seq
		events = append(events, event)
	}
	return events, nil
}
