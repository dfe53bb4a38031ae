package engine

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
	bucketKeys  kv.Bucket = "keys"      // key → answered
	bucketKeyAt kv.Bucket = "keys_time" // time, key → nothing: those of bucketKeys by age
)

const (
	maxKey    = 200 // bytes of a mutation's key
	keySweeps = 16  // expired keys that one mutation clears away
)

// answered is what is kept of a mutation, so that its repetition gets the same answer.
type answered struct {
	At       time.Time       `json:"at"`
	Op       string          `json:"op"`
	Digest   string          `json:"digest"`
	Response json.RawMessage `json:"response"`
	// Forgotten is when the response was removed, because it held a text that was to be forgotten.
	Forgotten *time.Time `json:"forgotten,omitempty"`
}

// mutation is one change of the ledger: what it is called, its key, and what identifies its body.
type mutation struct {
	op, key, digest string
	at              time.Time
}

// mutation describes a request. body is hashed to recognise another request under the same key;
// without a key there is nothing to recognise.
func (l *Local) mutation(op, key string, body ...any) (mutation, error) {
	m := mutation{op: op, key: key, at: l.now()}
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

// repeated returns the answer of an earlier sending, if there was one. A method that prepares much,
// or from what may be gone by then, asks before it does.
func repeated[R any](ctx context.Context, l *Local, m mutation) (r R, done bool, err error) {
	if m.key == "" {
		return r, false, nil
	}
	err = l.store.View(ctx, func(tx kv.Tx) error {
		done, err = m.answered(tx, &r)
		return err
	})
	return r, done, err
}

// mutate runs fn in one transaction together with the event it returns and the answer under the
// mutation's key. A repetition runs nothing and gets the stored answer.
func mutate[R any](ctx context.Context, l *Local, m mutation, fn func(kv.Tx) (R, []ledger.Event, error)) (R, error) {
	var r R
	err := l.store.Update(ctx, func(tx kv.Tx) error {
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
		if err := publish(tx, m.at, events); err != nil {
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
func (m mutation) answered(tx kv.Tx, r any) (bool, error) {
	if m.key == "" {
		return false, nil
	}
	raw, err := tx.Get(bucketKeys, []byte(m.key))
	if err != nil || raw == nil {
		return false, err
	}
	var a answered
	if err := json.Unmarshal(raw, &a); err != nil {
		return false, fault.Wrap(fault.Corrupt, m.op, err)
	}
	if a.At.Before(m.at.Add(-limits.KeyLife)) {
		return false, nil
	}
	if a.Op != m.op || a.Digest != m.digest {
		return false, fault.New(fault.Conflict, m.op, "the key %q was used for another request (%s)", m.key, a.Op).
			WithHint("use a new request_id for a new request")
	}
	if a.Forgotten != nil {
		return false, fault.New(fault.NotFound, m.op, "the request was carried out, and its answer was forgotten on %s", a.Forgotten.Format(time.DateOnly))
	}
	return true, fault.Wrap(fault.Corrupt, m.op, json.Unmarshal(a.Response, r))
}

// keep stores the answer under the key and clears away some that are too old to be asked for.
func (m mutation) keep(tx kv.Tx, r any) error {
	if m.key == "" || defect.LostKey.Seeded() {
		return nil
	}
	response, err := json.Marshal(r)
	if err != nil {
		return fault.Wrap(fault.Internal, m.op, err)
	}
	raw, err := json.Marshal(answered{At: m.at, Op: m.op, Digest: m.digest, Response: response})
	if err != nil {
		return fault.Wrap(fault.Internal, m.op, err)
	}
	if err := sweepKeys(tx, m.at.Add(-limits.KeyLife), m.key); err != nil {
		return err
	}
	if err := tx.Put(bucketKeys, []byte(m.key), raw); err != nil {
		return err
	}
	return tx.Put(bucketKeyAt, append(timeKey(m.at), m.key...), nil)
}

// sweepKeys removes a few of the keys that were stored before a time, and the expired record of the
// key that is about to be used again.
func sweepKeys(tx kv.Tx, before time.Time, key string) error {
	var old [][]byte
	raw, err := tx.Get(bucketKeys, []byte(key))
	if err != nil {
		return err
	}
	if raw != nil {
		var a answered
		if err := json.Unmarshal(raw, &a); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.keys", err)
		}
		old = append(old, append(timeKey(a.At), key...))
	}
	for r, err := range tx.Scan(bucketKeyAt, kv.Range{To: timeKey(before)}) {
		if err != nil {
			return err
		}
		if old = append(old, r.Key); len(old) >= keySweeps {
			break
		}
	}
	for _, k := range old {
		if err := tx.Delete(bucketKeys, k[8:]); err != nil {
			return err
		}
		if err := tx.Delete(bucketKeyAt, k); err != nil {
			return err
		}
	}
	return nil
}

func timeKey(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(t.UnixNano(), 0)))
}
