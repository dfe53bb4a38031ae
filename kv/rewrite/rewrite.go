// Package rewrite removes a text that the user wants forgotten from stored records.
//
// Start at Rule. Each domain that stores text returns the rules of its buckets: only the domain knows
// which fields are text and which identify the record. The engine finds the records and applies the
// rules, a few records per transaction.
//
// A rule does not change what identifies things (ids, hashes, times, kinds): a record without them would
// be lost, not forgotten. The package deliberately does not decide which text is removed.
package rewrite

import (
	"bytes"
	"cmp"
	"encoding/json"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
)

// Rule removes a text from the records of one bucket.
type Rule struct {
	Kind   string // what users call a record: "memory"
	Bucket kv.Bucket
	// Holds reports whether a record may contain the text; nil: whether its key or value does. It has no
	// side effects, and may return true without need.
	Holds func(r kv.Record, t scrub.Text) bool
	// Out removes the text from a record and from its index entries, and reports whether anything was
	// changed. Errors: corrupt.
	Out func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error)
}

// Of returns the rule of records that are Ts, as JSON, and keep their keys: out removes the text from one.
func Of[T any](kind string, b kv.Bucket, out func(v *T, t scrub.Text)) Rule {
	return Rule{Kind: kind, Bucket: b, Out: func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
		return JSON(tx, b, r, func(v *T) ([]byte, error) { out(v, t); return r.Key, nil })
	}}
}

// Keys returns the keys of the records that may contain the text. Errors: corrupt.
func (r Rule) Keys(tx kv.Tx, t scrub.Text) (keys [][]byte, err error) {
	holds := r.Holds
	if holds == nil {
		holds = func(rec kv.Record, t scrub.Text) bool { return t.Near(rec.Key) || t.Near(rec.Value) }
	}
	for rec, err := range tx.Scan(r.Bucket, kv.Range{}) {
		if err != nil {
			return nil, err
		}
		if holds(rec, t) {
			keys = append(keys, rec.Key)
		}
	}
	return keys, nil
}

// JSON decodes a record, calls edit, which removes the text, and stores the record if that changed
// anything. edit returns the record's key, which may be a new one. Errors: corrupt; those of edit.
func JSON[T any](tx kv.Tx, b kv.Bucket, r kv.Record, edit func(v *T) (key []byte, err error)) (bool, error) {
	const op = "rewrite.json"
	var v T
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return false, fault.Wrap(fault.Corrupt, op, err)
	}
	before, err := json.Marshal(v)
	if err != nil {
		return false, fault.Wrap(fault.Internal, op, err)
	}
	key, err := edit(&v)
	if err != nil {
		return false, err
	}
	after, err := json.Marshal(v)
	if err != nil {
		return false, fault.Wrap(fault.Internal, op, err)
	}
	if bytes.Equal(before, after) && bytes.Equal(key, r.Key) {
		return false, nil
	}
	if !bytes.Equal(key, r.Key) {
		err = tx.Delete(b, r.Key)
	}
	return true, cmp.Or(err, tx.Put(b, key, after))
}

// Words removes the text from strings.
func Words(t scrub.Text, words ...*string) {
	for _, w := range words {
		*w = t.Out(*w)
	}
}
