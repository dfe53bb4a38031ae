package bolt

import (
	"testing"

	"ctxledger.dev/internal/storetest/kvtest"
	"ctxledger.dev/kv"
)

// ignored is a report that nobody reads.
func ignored(kv.Problem) {}

// backend is what the registry has.
var backend Backend

func TestConformance(t *testing.T) {
	for name, o := range map[string]kv.Options{
		"normal": {}, "every update twice": {RunTwice: true}, "scratch": {Scratch: true},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && !o.Scratch {
				t.Skip("-short: only where nothing waits for the disk")
			}
			kvtest.Run(t, func(t *testing.T, dir string) kv.Store { return mustOpen(t, dir, o) })
		})
	}
}

// Only a scratch ledger goes without the disk.
func TestScratch(t *testing.T) {
	for _, scratch := range []bool{false, true} {
		s := mustOpen(t, t.TempDir(), kv.Options{Scratch: scratch})
		if s.file.db.NoSync != scratch || s.blobs.scratch != scratch {
			t.Errorf("scratch %t: the ledger waits for the disk: %t, blobs: %t", scratch, !s.file.db.NoSync,
				!s.blobs.scratch)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// mustOpen opens a store that the caller closes.
func mustOpen(t testing.TB, dir string, o kv.Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
