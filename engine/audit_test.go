package engine_test

import (
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/kv"
)

// sample is how many records of each bucket are damaged, one at a time.
const sample = 4

// TestAnyOneLostRecordIsMended takes records of a ledger away, one at a time: what follows from others
// is there again, what does not is reported as lost, and the ledger is sound and readable.
func TestAnyOneLostRecordIsMended(t *testing.T) {
	l, _ := openIn(t, schema1(t), "/home/dev/shop")
	// Buckets of which a record can go without a trace, and why.
	silent := map[kv.Bucket]string{
		"imports":        "nothing names an import",
		"keys":           "",
		"memory.history": "an earlier version more or less",
		"events":         "the newest or oldest one",
		"changes":        "",
		"doomed":         "a blob that is forgotten without it is garbage",
	}
	for _, b := range append(buckets, "intents_pending") {
		for _, key := range keysOf(t, l, b) {
			found, left, err := l.Mend(t.Context(), func(tx kv.Tx, _ map[string]bool) error { return tx.Delete(b, key) })
			_, quiet := silent[b]
			switch {
			case err != nil:
				t.Errorf("%s %q: %v", b, key, err)
			case len(left) > 0:
				t.Errorf("%s %q: left after mending: %+v", b, key, left)
			case len(found) == 0 && !quiet:
				t.Errorf("%s %q is gone and nobody notices", b, key)
			}
		}
	}
}

// TestAnyOneUnreadableRecordIsMended puts nonsense in the place of records, one at a time.
func TestAnyOneUnreadableRecordIsMended(t *testing.T) {
	l, _ := openIn(t, schema1(t), "/home/dev/shop")
	for _, b := range append(buckets, "intents_pending") {
		for _, key := range keysOf(t, l, b) {
			found, left, err := l.Mend(t.Context(), func(tx kv.Tx, _ map[string]bool) error { return tx.Put(b, key, []byte{0, 0, 0, 9, '{'}) })
			// The values of these are not looked at: their keys say everything, or they are plain text.
			plain := slices.Contains([]kv.Bucket{"change_session", "change_path", "intent_paths", "intents_pending",
				"artifacts.time", "artifacts.session", "keys_time", "doomed", "stubs", "commands"}, b)
			switch {
			case err != nil:
				t.Errorf("%s %q: %v", b, key, err)
			case len(left) > 0:
				t.Errorf("%s %q: left after mending: %+v", b, key, left)
			case len(found) == 0 && !plain:
				t.Errorf("%s %q is nonsense and nobody notices", b, key)
			}
		}
	}
}

// TestLostBlobsAreMended takes every blob away, one at a time, and then all of them.
func TestLostBlobsAreMended(t *testing.T) {
	l, _ := openIn(t, schema1(t), "/home/dev/shop")
	mend := func(lose func(blobs map[string]bool)) int {
		found, left, err := l.Mend(t.Context(), func(_ kv.Tx, blobs map[string]bool) error { lose(blobs); return nil })
		if err != nil || len(left) > 0 {
			t.Errorf("%v; left of %+v: %+v", err, found, left)
		}
		lost := 0
		for _, f := range found {
			if f.Lost && strings.Contains(f.What, "is missing or damaged") {
				lost++
			}
		}
		return lost
	}
	if n := mend(func(map[string]bool) {}); n != 0 {
		t.Errorf("%d are lost of a whole ledger", n)
	}
	if n := mend(func(blobs map[string]bool) { clear(blobs) }); n < 3 {
		t.Errorf("without any blob %d things are lost", n)
	}
}

func keysOf(t *testing.T, l *engine.Local, b kv.Bucket) [][]byte {
	t.Helper()
	var keys [][]byte
	_, _, err := l.Mend(t.Context(), func(tx kv.Tx, _ map[string]bool) error {
		keys = nil
		for r, err := range tx.Scan(b, kv.Range{}) {
			if err != nil {
				return err
			}
			keys = append(keys, r.Key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if step := len(keys) / sample; step > 1 {
		for i := range sample {
			keys[i] = keys[i*step]
		}
		keys[sample] = keys[len(keys)-1]
		keys = keys[:sample+1]
	}
	return keys
}
