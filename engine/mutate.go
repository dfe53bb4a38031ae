package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
)

// The buckets of keys and responses.
const (
	bucketKeys  kv.Bucket = "keys"      // key → answered
	bucketKeyAt kv.Bucket = "keys_time" // time, key → nothing
)

const (
	maxKey    = 200 // bytes of a mutation's key
	keySweeps = 16  // expired keys that one mutation clears away
)

// answered is what is kept of a mutation, so that its repetition gets the same answer.
type answered struct {
	Op       string          `json:"op"`
	Digest   string          `json:"digest"`
	Response json.RawMessage `json:"response"`
}

// mutation is one change of the ledger: what it is called, its key, and what identifies its body.
type mutation struct {
	op, key, digest string
	at              time.Time
}

// mutation describes a request. body is hashed to recognise another request under the same key.
func (l *Local) mutation(op, key string, body any) (mutation, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return mutation{}, fault.Wrap(fault.Invalid, op, err)
	}
	sum := sha256.Sum256(raw)
	return l.mutationOf(op, key, hex.EncodeToString(sum[:]))
}

func (l *Local) mutationOf(op, key, digest string) (mutation, error) {
	if len(key) > maxKey {
		return mutation{}, fault.New(fault.TooLarge, op, "the key of the request has %d bytes, more than %d", len(key), maxKey)
	}
	return mutation{op, key, digest, l.now()}, nil
}

// mutate runs fn in one transaction together with the event it returns and the answer under the
// mutation's key. A repetition runs nothing and gets the stored answer.
func mutate[R any](ctx context.Context, l *Local, m mutation, fn func(kv.Tx) (R, []Event, error)) (R, error) {
	var r R
	err := l.store.Update(ctx, func(tx kv.Tx) error {
		var zero R
		r = zero // the function may run more than once
		done, err := m.answered(tx, &r)
		if err != nil || done {
			return err
		}
		var events []Event
		if r, events, err = fn(tx); err != nil {
			return err
		}
		if err := publish(tx, m.at, events); err != nil {
			return err
		}
		return m.keep(tx, r)
	})
	if err == nil {
		l.ring()
	}
	return r, err
}

// answered looks for the answer of an earlier sending and puts it into r.
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
	if a.Op != m.op || a.Digest != m.digest {
		return false, fault.New(fault.Conflict, m.op, "the key %q was used for another request (%s)", m.key, a.Op).
			WithHint("use a new request_id for a new request")
	}
	return true, fault.Wrap(fault.Corrupt, m.op, json.Unmarshal(a.Response, r))
}

// keep stores the answer under the key and clears away some that are too old to be asked for.
func (m mutation) keep(tx kv.Tx, r any) error {
	if m.key == "" {
		return nil
	}
	response, err := json.Marshal(r)
	if err != nil {
		return fault.Wrap(fault.Internal, m.op, err)
	}
	raw, err := json.Marshal(answered{m.op, m.digest, response})
	if err != nil {
		return fault.Wrap(fault.Internal, m.op, err)
	}
	if err := tx.Put(bucketKeys, []byte(m.key), raw); err != nil {
		return err
	}
	at := append(timeKey(m.at), m.key...)
	if err := tx.Put(bucketKeyAt, at, nil); err != nil {
		return err
	}
	return sweepKeys(tx, m.at.Add(-limits.KeyLife))
}

// sweepKeys removes a few of the keys that were stored before a time.
func sweepKeys(tx kv.Tx, before time.Time) error {
	var old [][]byte
	for r, err := range tx.Scan(bucketKeyAt, kv.Range{To: timeKey(before)}) {
		if err != nil {
			return err
		}
		if old = append(old, r.Key); len(old) == keySweeps {
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
