// Package rewrite says how stored records lose a text that is to be forgotten.
//
// Start at Rule. Each domain that stores words returns the rules of its buckets, in which it alone
// knows what is a word of somebody and what the record stands on; engine finds the records and applies
// the rules, a few records to a transaction.
//
// A rule leaves alone what identifies things (ids, hashes, times, kinds): a record without them would
// be lost, not forgotten. The package deliberately decides nothing about which text goes.
package rewrite

import (
	"bytes"
	"encoding/json"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
)

// Rule says how the records of one bucket lose a text.
type Rule struct {
	Kind   string // what a record is to people: "memory"
	Bucket kv.Bucket
	// Holds reports whether a record may hold the text; nil: when its key or value does. It has no
	// effect and errs on the side of yes.
	Holds func(r kv.Record, t scrub.Text) bool
	// Out takes the text out of a record, with the index entries that spell it, and reports whether
	// anything had to be changed. Errors: corrupt.
	Out func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error)
}

// Keys returns the keys of the records that may hold the text. Errors: corrupt.
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

// JSON decodes a record, lets edit take the text out of its words, and stores it when that changed
// anything. edit returns the key under which the record stands from now on. Errors: corrupt; those of
// edit.
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
		if err := tx.Delete(b, r.Key); err != nil {
			return false, err
		}
	}
	return true, tx.Put(b, key, after)
}

// Words takes the text out of strings.
func Words(t scrub.Text, words ...*string) {
	for _, w := range words {
		*w = t.Out(*w)
	}
}
