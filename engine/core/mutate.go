package core

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"time"

	"ctxledger.dev/internal/defect"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// The buckets of keys and responses.
const (
	BucketKeys  kv.Bucket = "keys"      // key → answered
	BucketKeyAt kv.Bucket = "keys_time" // time, key → nothing: those of bucketKeys by age
)

const (
	maxKey    = 200 // bytes of a mutation's key
	keySweeps = 16  // expired keys that one mutation clears away
)

// StoredResponse is what is kept of a mutation, so that its repetition gets the same answer.
type StoredResponse struct {
	At       time.Time       `json:"at"`
	Op       string          `json:"op"`
	Digest   string          `json:"digest"`
	Response json.RawMessage `json:"response"`
	// Forgotten is when the response was removed, because it held a text that was to be forgotten.
	Forgotten *time.Time `json:"forgotten,omitempty"`
}

// Mutation is one change of the ledger: what it is called, its key, and what identifies its body.
type Mutation struct {
	Op, key, digest string
	At              time.Time
}

// Mutation describes a request. body is hashed to recognise another request under the same key;
// without a key there is nothing to recognise.
func (l *Ledger) NewMutation(op, key string, body ...any) (Mutation, error) {
	m := Mutation{Op: op, key: key, At: l.Now()}
	if len(key) > maxKey {
		return m, keyTooLong(op, key)
	}
	if key == "" {
		return m, nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return m, fault.Wrap(fault.Invalid, op, err)
	}
	m.digest = sessions.Digest(raw)
	return m, nil
}

func keyTooLong(op, key string) error {
	return fault.New(fault.TooLarge, op, "the key of the request has %d bytes, more than %d", len(key), maxKey)
}

// PreviousResponse returns the answer of an earlier sending, if there was one. A method that prepares much,
// or from what may be gone by then, asks before it does.
func PreviousResponse[R any](ctx context.Context, l *Ledger, m Mutation) (r R, done bool, err error) {
	if m.key == "" {
		return r, false, nil
	}
	err = l.Store.View(ctx, func(tx kv.Tx) error {
		done, err = m.answered(tx, &r)
		return err
	})
	return r, done, err
}

// Mutate runs fn in one transaction together with the event it returns and the answer under the
// mutation's key. A repetition runs nothing and gets the stored answer.
func Mutate[R any](ctx context.Context, l *Ledger, m Mutation, fn func(kv.Tx) (R, []ledger.Event, error)) (R, error) {
	var r R
	err := l.Store.Update(ctx, func(tx kv.Tx) error {
		var zero R
		r = zero // the function may run more than once
		done, err := m.answered(tx, &r)
		if err != nil || done {
			return err
		}
		var events []ledger.Event
		if r, events, err = fn(tx); err != nil {
			return err
		}
		failpoint.Hit("engine.mutate.applied")
		if err := publish(tx, m.At, events); err != nil {
			return err
		}
		failpoint.Hit("engine.mutate.published")
		defer failpoint.Hit("engine.mutate.kept")
		return m.keep(tx, r)
	})
	if err != nil {
		var zero R
		return zero, err
	}
	failpoint.Hit("engine.mutate.committed")
	l.ring()
	return r, nil
}

// answered looks for the answer of an earlier sending and puts it into r. One that is older than
// limits.KeyLife is as good as swept.
func (m Mutation) answered(tx kv.Tx, r any) (bool, error) {
	if m.key == "" {
		return false, nil
	}
	raw, err := tx.Get(BucketKeys, []byte(m.key))
	if err != nil || raw == nil {
		return false, err
	}
	var a StoredResponse
	if err := json.Unmarshal(raw, &a); err != nil {
		return false, fault.Wrap(fault.Corrupt, m.Op, err)
	}
	if a.At.Before(m.At.Add(-limits.KeyLife)) {
		return false, nil
	}
	if a.Op != m.Op || a.Digest != m.digest {
		return false, fault.New(fault.Conflict, m.Op, "the key %q was used for another request (%s)", m.key, a.Op).
			WithHint("use a new request_id for a new request")
	}
	if a.Forgotten != nil {
		return false, fault.New(fault.NotFound, m.Op,
			"the request was carried out, and its answer was forgotten on %s", a.Forgotten.Format(time.DateOnly))
	}
	return true, fault.Wrap(fault.Corrupt, m.Op, json.Unmarshal(a.Response, r))
}

// keep stores the answer under the key and clears away some that are too old to be asked for.
func (m Mutation) keep(tx kv.Tx, r any) error {
	if m.key == "" || defect.LostKey.Seeded() {
		return nil
	}
	response, err := json.Marshal(r)
	if err != nil {
		return fault.Wrap(fault.Internal, m.Op, err)
	}
	raw, err := json.Marshal(StoredResponse{At: m.At, Op: m.Op, Digest: m.digest, Response: response})
	if err != nil {
		return fault.Wrap(fault.Internal, m.Op, err)
	}
	if err := sweepKeys(tx, m.At.Add(-limits.KeyLife), m.key); err != nil {
		return err
	}
	if err := tx.Put(BucketKeys, []byte(m.key), raw); err != nil {
		return err
	}
	return tx.Put(BucketKeyAt, append(TimeKey(m.At), m.key...), nil)
}

// sweepKeys removes a few of the keys that were stored before a time, and the expired record of the
// key that is about to be used again.
func sweepKeys(tx kv.Tx, before time.Time, key string) error {
	var old [][]byte
	raw, err := tx.Get(BucketKeys, []byte(key))
	if err != nil {
		return err
	}
	if raw != nil {
		var a StoredResponse
		if err := json.Unmarshal(raw, &a); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.keys", err)
		}
		old = append(old, append(TimeKey(a.At), key...))
	}
	for r, err := range tx.Scan(BucketKeyAt, kv.Range{To: TimeKey(before)}) {
		if err != nil {
			return err
		}
		if old = append(old, r.Key); len(old) >= keySweeps {
			break
		}
	}
	for _, k := range old {
		if err := tx.Delete(BucketKeys, k[8:]); err != nil {
			return err
		}
		if err := tx.Delete(BucketKeyAt, k); err != nil {
			return err
		}
	}
	return nil
}

// TimeKey is the key of a time, in the order of times.
func TimeKey(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(t.UnixNano(), 0)))
}
