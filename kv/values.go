package kv

import "iter"

// Values yields the decoded records of a range. The first error, of the scan or of decode, ends it.
func Values[T any](tx Tx, b Bucket, r Range, decode func(Record) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for rec, err := range tx.Scan(b, r) {
			var v T
			if err == nil {
				v, err = decode(rec)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// LastKey returns the key of the last record of a bucket, nil if it is empty.
func LastKey(tx Tx, b Bucket) ([]byte, error) {
	for rec, err := range tx.Scan(b, Range{Reverse: true}) {
		return rec.Key, err
	}
	return nil, nil
}

// Starting returns the keys that begin with prefix, at most limit of them.
func Starting(tx Tx, b Bucket, prefix string, limit int) ([]string, error) {
	key := func(r Record) (string, error) { return string(r.Key), nil }
	return Collect(Values(tx, b, Range{Prefix: []byte(prefix)}, key), limit)
}

// All as the limit of Collect means no limit.
const All = -1

// Collect returns the first values of a sequence, at most limit of them, or its first error. It does not
// read further.
func Collect[T any](values iter.Seq2[T, error], limit int) ([]T, error) {
	if limit == 0 {
		return nil, nil
	}
	var list []T
	for v, err := range values {
		if err != nil {
			return nil, err
		}
		if list = append(list, v); len(list) == limit {
			break
		}
	}
	return list, nil
}
