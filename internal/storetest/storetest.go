// Package storetest gives the tests of the domains a real store: bbolt in a temporary directory, with
// every transaction run twice, so that a function with effects outside of it is found out.
//
// Start at Open. The package is for tests alone.
package storetest

import (
	"testing"

	"ctxledger.dev/kv"
	"ctxledger.dev/kv/stores"
)

// Open returns an empty store, which is closed when the test ends.
func Open(t testing.TB) kv.Store {
	t.Helper()
	s, err := stores.All().Open("bolt:"+t.TempDir(), kv.Options{RunTwice: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Update runs fn in a transaction that must succeed.
func Update(t testing.TB, s kv.Store, fn func(kv.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// View runs fn on a snapshot and must succeed.
func View(t testing.TB, s kv.Store, fn func(kv.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}
