package core

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"
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
	BucketKeys  kv.Bucket = "keys"      // key → StoredResponse
	BucketKeyAt kv.Bucket = "keys_time" // time, key → nothing: the keys of BucketKeys by age
)

const (
	maxKey    = 200 // bytes of a mutation's key
	keySweeps = 16  // expired keys that one mutation clears away
	// maxKeptSessions bounds the sessions that a stored response is about. One change has one; observations have more.
	maxKeptSessions = 32
)

// StoredResponse is stored for each mutation with a key, so that a repetition gets the same response.
type StoredResponse struct {
	At       time.Time       `json:"at"`
	Op       string          `json:"op"`
	Digest   string          `json:"digest"`
	Response json.RawMessage `json:"response"`
	// Sessions are those that its events are about: when one is forgotten, the response is.
	Sessions []string `json:"sessions,omitempty"`
	// Forgotten is when the response was removed because it contained a forgotten text.
	Forgotten *time.Time `json:"forgotten,omitempty"`
}

// Mutation is one change of the ledger: its operation, its key, and a digest of its body.
type Mutation struct {
	Op, key, digest string
	At              time.Time
	wrong           error // what is wrong with the request: PreviousResponse and Mutate return it
}

// NewMutation describes a request. The digest of body detects another request under the same key; without a key there
// is none.
func (l *Ledger) NewMutation(op, key string, body ...any) Mutation {
	m := Mutation{Op: op, key: key, At: l.Now()}
	switch {
	case len(key) > maxKey:
		m.wrong = keyTooLong(op, key)
	case key != "":
		raw, err := json.Marshal(body)
		m.digest, m.wrong = sessions.Digest(raw), fault.Wrap(fault.Invalid, op, err)
	}
	return m
}

// Check returns the mutation of a request that is wrong if one of the checks found something.
func (m Mutation) Check(found ...error) Mutation {
	m.wrong = cmp.Or(append(found, m.wrong)...)
	return m
}

func keyTooLong(op, key string) error {
	return fault.New(fault.TooLarge, op, "the key of the request has %d bytes, more than %d", len(key), maxKey)
}

// PreviousResponse returns the response to an earlier request with the same key, if there was one. A method calls it
// before expensive preparation, or before it reads what the first request may have consumed.
func PreviousResponse[R any](ctx context.Context, l *Ledger, m Mutation) (r R, done bool, err error) {
	if m.key == "" || m.wrong != nil {
		return r, false, m.wrong
	}
	err = l.Store.View(ctx, func(tx kv.Tx) error {
		done, err = m.answered(tx, &r)
		return err
	})
	return r, done, err
}

// Mutate runs fn in one transaction, which also stores its events and the response under the mutation's key. A
// repetition does not run fn and gets the stored response.
func Mutate[R any](ctx context.Context, l *Ledger, m Mutation, fn func(kv.Tx) (R, []ledger.Event, error)) (R, error) {
	var r, zero R
	if m.wrong != nil {
		return zero, m.wrong
	}
	err := l.Store.Update(ctx, func(tx kv.Tx) error {
		r = zero // fn may run more than once
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
		return m.keep(tx, r, events)
	})
	if err != nil {
		return zero, err
	}
	failpoint.Hit("engine.mutate.committed")
	l.ring()
	return r, nil
}

// answered reads the stored response to an earlier request into r. One older than limits.KeyLife counts as expired.
func (m Mutation) answered(tx kv.Tx, r any) (bool, error) {
	if m.key == "" {
		return false, nil
	}
	var a StoredResponse
	found, err := kv.GetJSON(tx, BucketKeys, []byte(m.key), &a)
	if err != nil || !found || a.At.Before(m.At.Add(-limits.KeyLife)) {
		return false, err
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

// keep stores the response under the key and deletes some expired ones.
func (m Mutation) keep(tx kv.Tx, r any, events []ledger.Event) error {
	if m.key == "" || defect.LostKey.Seeded() {
		return nil
	}
	response, err := json.Marshal(r)
	if err != nil {
		return fault.Wrap(fault.Internal, m.Op, err)
	}
	stored := StoredResponse{At: m.At, Op: m.Op, Digest: m.digest, Response: response}
	for _, e := range events {
		if e.Session != "" && !slices.Contains(stored.Sessions, e.Session) && len(stored.Sessions) < maxKeptSessions {
			stored.Sessions = append(stored.Sessions, e.Session)
		}
	}
	return cmp.Or(sweepKeys(tx, m.At.Add(-limits.KeyLife), m.key), kv.PutJSON(tx, BucketKeys, []byte(m.key), stored),
		tx.Put(BucketKeyAt, append(TimeKey(m.At), m.key...), nil))
}

// sweepKeys deletes a few of the keys that were stored before a time, and the expired record of the key that is about
// to be reused.
func sweepKeys(tx kv.Tx, before time.Time, key string) error {
	var old [][]byte
	var a StoredResponse
	found, err := kv.GetJSON(tx, BucketKeys, []byte(key), &a)
	if err != nil {
		return err
	}
	if found {
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
		err = cmp.Or(err, tx.Delete(BucketKeys, k[8:]), tx.Delete(BucketKeyAt, k))
	}
	return err
}

// TimeKey returns the key of a time; keys sort as times do.
func TimeKey(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(t.UnixNano(), 0)))
}
