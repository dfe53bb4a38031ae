package upkeep

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// answers forgets the stored responses to requests about what was forgotten. A repetition of such a request is told so.
func (e *eraser) answers(ctx context.Context) error {
	if len(e.ids) == 0 {
		return nil
	}
	keys, err := core.View(ctx, e.l.core, e.aboutIt)
	if err != nil {
		return err
	}
	return inBatches(ctx, e, keys, (*step).answer)
}

// told removes what events say of things that were forgotten.
func (s *step) told() error {
	if len(s.e.ids) == 0 {
		return nil
	}
	return s.events(func(ev *ledger.Event) bool {
		if !s.e.ids[ev.ID] || ev.Kind == ledger.EventForgotten || ev.Detail == "" && ev.Data == nil {
			return false
		}
		ev.Detail, ev.Data = "", nil
		return true
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

// answer forgets the stored response under a key. It is not counted: nobody knows of it.
func (s *step) answer(key []byte) error {
	v, err := s.Get(core.BucketKeys, key)
	if err != nil || v == nil {
		return err
	}
	raw, err := forgottenAnswer(v, s.e.at)
	if err != nil {
		return err
	}
	return s.Put(core.BucketKeys, key, raw)
}

// wordless are the operations whose responses have ids and numbers alone. A repetition gets them also of what was
// forgotten.
var wordless = []string{"messages", "trim"}

// isAbout reports whether a stored response is about something in e.ids, and was not forgotten yet.
func (e *eraser) isAbout(raw []byte) (bool, error) {
	var a core.StoredResponse
	if err := json.Unmarshal(raw, &a); err != nil {
		return false, fault.Wrap(fault.Corrupt, "engine.forget", err)
	}
	if a.Forgotten != nil || slices.Contains(wordless, a.Op) {
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
	if a.Op == "artifact" {
		return forgottenArtifact(a, at)
	}
	a.Response, a.Forgotten = json.RawMessage("null"), &at
	out, err := json.Marshal(a)
	return out, fault.Wrap(fault.Internal, "engine.forget", err)
}

// forgottenArtifact returns the response to storing an artifact with the tombstone in its place: its handle, and when it
// was forgotten.
func forgottenArtifact(a core.StoredResponse, at time.Time) ([]byte, error) {
	var stored artifacts.Artifact
	if err := json.Unmarshal(a.Response, &stored); err != nil {
		return nil, fault.Wrap(fault.Corrupt, "engine.forget", err)
	}
	stored.Tool, stored.Hint, stored.Title = "", "", ""
	if stored.Forgotten == nil {
		stored.Forgotten = &at
	}
	var err error
	if a.Response, err = json.Marshal(stored); err != nil {
		return nil, fault.Wrap(fault.Internal, "engine.forget", err)
	}
	out, err := json.Marshal(a)
	return out, fault.Wrap(fault.Internal, "engine.forget", err)
}
