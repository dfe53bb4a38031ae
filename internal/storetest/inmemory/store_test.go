package inmemory_test

import (
	"testing"

	"ctxledger.dev/internal/storetest/inmemory"
	"ctxledger.dev/internal/storetest/kvtest"
	"ctxledger.dev/kv"
)

func TestConformance(t *testing.T) {
	kvtest.Run(t, func(t *testing.T, dir string) kv.Store {
		s, err := inmemory.Backend{}.Open(dir, kv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
