package engine_test

import (
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/kv"
)

// TestAnyOneLostRecordIsMended takes records of a ledger away, one at a time: what follows from others
// is there again, what does not is reported as lost, and the ledger is sound and readable.
func TestAnyOneLostRecordIsMended(t *testing.T) {
	volume(t)
	l := openOnce(t, schema1(t))
	// Buckets of which a record can go without a trace, and why.
	silent := map[kv.Bucket]string{
		"imports":        "nothing names an import",
		"keys":           "",
		"memory.history": "an earlier version more or less",
		"events":         "the newest or oldest one",
		"changes":        "",
		"doomed":         "a blob that is forgotten without it is garbage",
	}
	for b, keys := range sample(t, l) {
		for _, key := range keys {
			found, left, err := l.Mend(t.Context(),
				func(tx kv.Tx, _ map[string]bool) error { return tx.Delete(b, key) })
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
	volume(t)
	l := openOnce(t, schema1(t))
	for b, keys := range sample(t, l) {
		for _, key := range keys {
			found, left, err := l.Mend(t.Context(),
				func(tx kv.Tx, _ map[string]bool) error { return tx.Put(b, key, []byte{0, 0, 0, 9, '{'}) })
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
	inFiles(t)
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

// openOnce opens a ledger whose transactions run once: what Mend does is taken back anyway.
func openOnce(t *testing.T, dir string) *engine.Local {
	t.Helper()
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: dir, Workspace: "/home/dev/shop", Env: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// sample returns some keys of each bucket, the last one among them: the records that are damaged, one at a time.
func sample(t *testing.T, l *engine.Local) map[kv.Bucket][][]byte {
	t.Helper()
	keys, n := map[kv.Bucket][][]byte{}, cases.Some(4)
	_, _, err := l.Mend(t.Context(), func(tx kv.Tx, _ map[string]bool) error {
		for _, b := range append(buckets, "intents_pending") {
			var all [][]byte
			for r, err := range tx.Scan(b, kv.Range{}) {
				if err != nil {
					return err
				}
				all = append(all, r.Key)
			}
			for i := range min(n, len(all)) {
				keys[b] = append(keys[b], all[(i+1)*len(all)/min(n, len(all))-1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
