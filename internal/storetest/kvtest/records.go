package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// records: the plain life of a record, and what absence looks like.
func (s suite) records(t *testing.T) {
	st := s.fresh(t)
	wantNone(t, st, "a") // in a bucket that does not exist yet
	update(t, st, func(tx kv.Tx) error { return tx.Delete(bucket, []byte("a")) })
	put(t, st, "a", "1")
	want(t, st, "a", "1")
	put(t, st, "a", "2")
	want(t, st, "a", "2")
	put(t, st, "empty", "")
	want(t, st, "empty", "")
	wantNone(t, st, "")
	wantNone(t, st, strings.Repeat("k", 2*kv.MaxKey))
	update(t, st, func(tx kv.Tx) error { return tx.Delete(bucket, []byte("a")) })
	wantNone(t, st, "a")
	update(t, st, func(tx kv.Tx) error { return tx.Put("other", []byte("empty"), []byte("mine")) })
	want(t, st, "empty", "")

	var kept []byte
	update(t, st, func(tx kv.Tx) (err error) { // a transaction sees its own writes
		if err := tx.Put(bucket, []byte("b"), []byte("3")); err != nil {
			return err
		}
		kept, err = tx.Get(bucket, []byte("b"))
		return err
	})
	put(t, st, "b", "4")
	if string(kept) != "3" {
		t.Errorf("a value kept from a transaction changed to %q", kept)
	}
}

// recordLimits: the largest record is stored, the next byte is refused by name.
func (s suite) recordLimits(t *testing.T) {
	st := s.fresh(t)
	key, value := bytes.Repeat([]byte("k"), kv.MaxKey), bytes.Repeat([]byte("v"), kv.MaxValue)
	put(t, st, string(key), string(value))
	want(t, st, string(key), string(value))
	for _, c := range []struct {
		name       string
		bucket     kv.Bucket
		key, value []byte
		code       fault.Code
	}{
		{"key too long", bucket, append(key, 'k'), nil, fault.TooLarge},
		{"value too long", bucket, key, append(value, 'v'), fault.TooLarge},
		{"empty key", bucket, nil, nil, fault.Invalid},
		{"empty bucket", "", key, nil, fault.Invalid},
		{"reserved bucket", "\x00mine", key, nil, fault.Invalid},
		{"bucket name too long", kv.Bucket(strings.Repeat("b", kv.MaxBucket+1)), key, nil, fault.TooLarge},
	} {
		err := st.Update(context.Background(), func(tx kv.Tx) error { return tx.Put(c.bucket, c.key, c.value) })
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want code %s", c.name, err, c.code)
		}
	}
	err := st.View(context.Background(), func(tx kv.Tx) error { return tx.Put(bucket, key, nil) })
	wantCode(t, err, fault.Denied)
	err = st.View(context.Background(), func(tx kv.Tx) error { return tx.Delete(bucket, key) })
	wantCode(t, err, fault.Denied)
}

// rangeBorders: every combination of bounds that are on, between and outside of keys.
func (s suite) rangeBorders(t *testing.T) {
	st := s.fresh(t)
	keys := []string{"\x00", "a", "a\x00", "aa", "ab", "b", "b\xff", "b\xff\xff", "c", "\xff", "\xff\xff"}
	update(t, st, func(tx kv.Tx) error {
		for _, k := range keys {
			if err := tx.Put(bucket, []byte(k), []byte("v"+k)); err != nil {
				return err
			}
		}
		return nil
	})
	bounds := [][]byte{nil, {}, []byte("\x00"), []byte("a"), []byte("a\x00"), []byte("a\x00\x00"), []byte("aaa"),
		[]byte("b"), []byte("b\xff"), []byte("b\xff\xff"), []byte("bz"), []byte("c"),
		[]byte("\xff"), []byte("\xff\xff"), []byte("\xff\xff\xff")}
	err := st.View(context.Background(), func(tx kv.Tx) error {
		for _, prefix := range bounds {
			for _, from := range bounds {
				for _, to := range bounds {
					for _, reverse := range []bool{false, true} {
						r := kv.Range{Prefix: prefix, From: from, To: to, Reverse: reverse}
						if err := sameScan(tx, r, inRange(keys, r)); err != nil {
							return err
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// inRange is what a range means, said plainly. keys are sorted.
func inRange(keys []string, r kv.Range) []string {
	var in []string
	for _, k := range keys {
		if strings.HasPrefix(k, string(r.Prefix)) && k >= string(r.From) && (r.To == nil || k < string(r.To)) {
			in = append(in, k)
		}
	}
	if r.Reverse {
		slices.Reverse(in)
	}
	return in
}

// sameScan compares a scan with the keys that it should yield; each value is "v" + key.
func sameScan(tx kv.Tx, r kv.Range, keys []string) error {
	var got []string
	for rec, err := range tx.Scan(bucket, r) {
		if err != nil {
			return err
		}
		if string(rec.Value) != "v"+string(rec.Key) {
			return fmt.Errorf("key %q has value %q", rec.Key, rec.Value)
		}
		got = append(got, string(rec.Key))
	}
	if !slices.Equal(got, keys) {
		return fmt.Errorf("range {prefix %q from %q to %q nil %v reverse %v} = %q, want %q",
			r.Prefix, r.From, r.To, r.To == nil, r.Reverse, got, keys)
	}
	return nil
}

// scanStops: breaking off, and a bucket that does not exist.
func (s suite) scanStops(t *testing.T) {
	st := s.fresh(t)
	put(t, st, "a", "va")
	put(t, st, "b", "vb")
	var records []kv.Record
	err := st.View(context.Background(), func(tx kv.Tx) error {
		for range tx.Scan("missing", kv.Range{}) {
			t.Error("a missing bucket has records")
		}
		for rec, err := range tx.Scan(bucket, kv.Range{}) {
			records = append(records, rec)
			if err != nil || len(records) == 1 {
				break
			}
		}
		for rec, err := range tx.Scan(bucket, kv.Range{Reverse: true}) {
			records = append(records, rec)
			if err != nil || len(records) == 2 {
				break
			}
		}
		return nil
	})
	if err != nil || len(records) != 2 || string(records[0].Key) != "a" || string(records[1].Value) != "vb" {
		t.Errorf("records %q, error %v", records, err)
	}
}

// emptied: a transaction that has deleted many records in a row, as many as fill a backend's pages,
// finds the others in both directions, and finds nothing where nothing is.
func (s suite) emptied(t *testing.T) {
	const records = 3000
	key := func(i int) []byte { return fmt.Appendf(nil, "%06d", i) }
	for name, gone := range map[string]func(i int) bool{
		"nothing":        func(int) bool { return false },
		"everything":     func(int) bool { return true },
		"all but one":    func(i int) bool { return i != 1500 },
		"all but first":  func(i int) bool { return i > 0 },
		"all but last":   func(i int) bool { return i < records-1 },
		"the beginning":  func(i int) bool { return i < 2000 },
		"the middle":     func(i int) bool { return i > 500 && i < 2500 },
		"the end":        func(i int) bool { return i > 1000 },
		"every other":    func(i int) bool { return i%2 == 0 },
		"long stretches": func(i int) bool { return i/400%2 == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			st := s.fresh(t)
			var left []string
			update(t, st, func(tx kv.Tx) (err error) {
				for i := range records {
					err = errors.Join(err, tx.Put(bucket, key(i), append([]byte("v"), key(i)...)))
				}
				return err
			})
			for i := range records {
				if !gone(i) {
					left = append(left, string(key(i)))
				}
			}
			update(t, st, func(tx kv.Tx) (err error) {
				for i := range records {
					if gone(i) {
						err = errors.Join(err, tx.Delete(bucket, key(i)))
					}
				}
				for i := -1; i <= records; i += 250 {
					if value, get := tx.Get(bucket, key(i)); get != nil ||
						(value != nil) != slices.Contains(left, string(key(i))) {
						t.Errorf("record %d: %q, %v", i, value, get)
					}
					from, to := key(max(i, 0)), key(max(i, 0)+700)
					for _, r := range []kv.Range{{}, {Reverse: true}, {From: from, To: to},
						{From: from, To: to, Reverse: true}, {To: to, Reverse: true}, {From: from, Reverse: true}} {
						err = errors.Join(err, sameScan(tx, r, inRange(left, r)))
					}
				}
				return err
			})
		})
	}
}
