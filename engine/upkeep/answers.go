package upkeep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/core"
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
	var a core.StoredResponse
	if found, err := kv.GetJSON(s, core.BucketKeys, key, &a); err != nil || !found {
		return err
	}
	return forgetAnswer(s, key, a, s.e.at)
}

// wordless are the operations whose responses have ids and numbers alone. A repetition gets them also of what was
// forgotten.
var wordless = []string{"messages", "trim"}

// isAbout reports whether a stored response is about something in e.ids, and was not forgotten yet.
func (e *eraser) isAbout(raw []byte) (bool, error) {
	var a core.StoredResponse
	err := kv.Decode(raw, &a)
	if err != nil || a.Forgotten != nil || slices.Contains(wordless, a.Op) {
		return false, err
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

// forgetAnswer stores a response without its content. That the request was carried out is kept, and of an artifact that
// was stored its tombstone: its handle, and when it was forgotten.
func forgetAnswer(tx kv.Tx, key []byte, a core.StoredResponse, at time.Time) error {
	if a.Op != "artifact" {
		a.Response, a.Forgotten = json.RawMessage("null"), &at
		return kv.PutJSON(tx, core.BucketKeys, key, a)
	}
	var stored artifacts.Artifact
	err := kv.Decode(a.Response, &stored)
	stored.Tool, stored.Hint, stored.Title, stored.Forgotten = "", "", "", cmp.Or(stored.Forgotten, &at)
	raw, wrong := json.Marshal(stored)
	a.Response = raw
	return cmp.Or(err, wrong, kv.PutJSON(tx, core.BucketKeys, key, a))
}
