// Package kvtest is the conformance suite of kv: a backend is right when Run passes.
//
// Start at Run, from a test of the backend. It checks records and ranges against a sorted map,
// atomicity, isolation, group commit with failing functions, durability over reopening, blobs
// against a byte slice, that a vacuum forgets and a backup holds all, limits, and that nothing is
// left running.
//
// Random cases come from rapid, which prints how to repeat a failing one. The package
// deliberately knows no backend; damage on disk below the blob level is each backend's own test.
package kvtest

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Run checks a backend. open opens the store in dir; opened again after Close, the same dir
// must hold the same content. Run closes what it opens.
func Run(t *testing.T, open func(t *testing.T, dir string) kv.Store) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := suite{open: open}
	for _, c := range []struct {
		name string
		fn   func(*testing.T)
	}{
		{"records", s.records},
		{"record limits", s.recordLimits},
		{"range borders", s.rangeBorders},
		{"random operations match a sorted map", s.model},
		{"scan stops when the loop ends", s.scanStops},
		{"scans of what the transaction has deleted from", s.emptied},
		{"update is atomic", s.atomic},
		{"batch mates of a failing function commit", s.batchMates},
		{"panic in an update", s.panics},
		{"goroutine ended in an update", s.exits},
		{"update dropped before it starts", s.dropped},
		{"concurrent updates are serial", s.concurrent},
		{"view is a snapshot", s.snapshot},
		{"transaction after its end", s.afterEnd},
		{"durable over reopening", s.reopen},
		{"closed store", s.closed},
		{"blob round trip", s.blobs},
		{"blob lines", s.blobLines},
		{"blob stored once", s.blobOnce},
		{"blob over its limit", s.blobLimit},
		{"blob reader fails", s.blobReaderFails},
		{"blob names", s.blobNames},
		{"blob damaged on disk", s.blobDamage},
		{"blobs written concurrently", s.blobConcurrent},
		{"blobs are listed in order", s.blobList},
		{"blob stored again is new", s.blobRefreshed},
		{"vacuum leaves nothing deleted", s.compacting(s.vacuumForgets)},
		{"vacuum while in use", s.compacting(s.vacuumInUse)},
		{"vacuum keeps views", s.compacting(s.vacuumKeepsViews)},
		{"vacuum dropped before it starts", s.compacting(s.vacuumDropped)},
		{"vacuum of nothing and of much", s.compacting(s.vacuumEmpty)},
		{"backup unpacks to a store", s.backup},
		{"backup that fails", s.backupFails},
	} {
		t.Run(c.name, c.fn)
	}
}

// suite holds what every case needs.
type suite struct {
	open func(t *testing.T, dir string) kv.Store
}

// bucket is where cases keep their records.
const bucket = kv.Bucket("kvtest")

// compacting leaves a case out for a store that is no kv.Compacted.
func (s suite) compacting(fn func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		if _, ok := s.fresh(t).(kv.Compacted); !ok {
			t.Skip("this backend has nothing to compact")
		}
		fn(t)
	}
}

// fresh returns an empty store, closed at the end of the test.
func (s suite) fresh(t *testing.T) kv.Store {
	t.Helper()
	st := s.open(t, t.TempDir())
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st
}

// update runs fn in an Update that must succeed. fn must not end the test.
func update(t *testing.T, st kv.Store, fn func(kv.Tx) error) {
	t.Helper()
	if err := st.Update(context.Background(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// put stores one record.
func put(t *testing.T, st kv.Store, key, value string) {
	t.Helper()
	update(t, st, func(tx kv.Tx) error { return tx.Put(bucket, []byte(key), []byte(value)) })
}

// get returns the value of key; found says whether there is one.
func get(t *testing.T, st kv.Store, key string) (value string, found bool) {
	t.Helper()
	err := st.View(context.Background(), func(tx kv.Tx) error {
		v, err := tx.Get(bucket, []byte(key))
		value, found = string(v), v != nil
		return err
	})
	if err != nil {
		t.Fatalf("get %q: %v", key, err)
	}
	return value, found
}

// want checks that key has the value.
func want(t *testing.T, st kv.Store, key, value string) {
	t.Helper()
	if got, found := get(t, st, key); !found || got != value {
		t.Errorf("%q = %q (found %v), want %q", key, got, found, value)
	}
}

// wantNone checks that key has no value.
func wantNone(t *testing.T, st kv.Store, key string) {
	t.Helper()
	if got, found := get(t, st, key); found {
		t.Errorf("%q = %q, want none", key, got)
	}
}

// wantCode checks the kind of an error.
func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("error %v has code %q, want %q", err, fault.CodeOf(err), code)
	}
}
