package forgetting

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// answers forgets the stored responses to requests about what was forgotten, of which a repetition is told so, and what
// events say of it.
func (e *eraser) answers(ctx context.Context) error {
	if len(e.ids) == 0 {
		return nil
	}
	keys, err := core.View(ctx, e.l.Ledger, e.aboutIt)
	if err != nil {
		return err
	}
	if err := inBatches(ctx, e, keys, (*step).answer); err != nil {
		return err
	}
	return e.update(ctx, func(s *step) error {
		return s.events(func(ev *ledger.Event) bool {
			if !e.ids[ev.ID] || ev.Kind == ledger.EventForgotten || ev.Detail == "" && ev.Data == nil {
				return false
			}
			ev.Detail, ev.Data = "", nil
			return true
		})
	})
}

// aboutIt returns the keys of the stored responses about what was forgotten.
func (e *eraser) aboutIt(tx kv.Tx) (keys [][]byte, err error) {
	for r, err := range tx.Scan(core.BucketKeys, kv.Range{}) {
		if err != nil {
			return nil, err
		}
		about, err := e.isAbout(r.Value)
		if err != nil {
			return nil, err
		}
		if about {
			keys = append(keys, r.Key)
		}
	}
	return keys, nil
}

// answer forgets the stored response under a key.
func (s *step) answer(key []byte) error {
	v, err := s.Get(core.BucketKeys, key)
	if err != nil || v == nil {
		return err
	}
	raw, err := forgottenAnswer(v, s.e.at)
	if err != nil {
		return err
	}
	s.count(kindAnswer, "")
	return s.Put(core.BucketKeys, key, raw)
}

// isAbout reports whether a stored response is about something in e.ids, and was not forgotten yet.
func (e *eraser) isAbout(raw []byte) (bool, error) {
	var a core.StoredResponse
	if err := json.Unmarshal(raw, &a); err != nil {
		return false, fault.Wrap(fault.Corrupt, "engine.forget", err)
	}
	if a.Forgotten != nil {
		return false, nil
	}
	if slices.ContainsFunc(a.Sessions, func(id string) bool { return e.ids[id] }) {
		return true, nil
	}
	for id := range e.ids {
		if bytes.Contains(a.Response, []byte(id)) {
			return true, nil
		}
	}
	return false, nil
}

// forgottenAnswer returns a stored response without its content. That the request was carried out is kept.
func forgottenAnswer(raw []byte, at time.Time) ([]byte, error) {
	var a core.StoredResponse
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fault.Wrap(fault.Corrupt, "engine.forget", err)
	}
	a.Response, a.Forgotten = json.RawMessage("null"), &at
	out, err := json.Marshal(a)
	return out, fault.Wrap(fault.Internal, "engine.forget", err)
}
