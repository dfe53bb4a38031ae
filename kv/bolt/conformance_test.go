package bolt

import (
	"testing"

	"ctxledger.dev/kv"
	"ctxledger.dev/kv/kvtest"
)

func TestConformance(t *testing.T) {
	for name, o := range map[string]Options{"normal": {}, "every update twice": {RunTwice: true}} {
		t.Run(name, func(t *testing.T) {
			kvtest.Run(t, func(t *testing.T, dir string) kv.Store { return mustOpen(t, dir, o) })
		})
	}
}

// mustOpen opens a store that the caller closes.
func mustOpen(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
