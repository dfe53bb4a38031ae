package upkeep

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// TestACutOffForgettingIsFinishedByTheNextOwner: a process was killed after records were deleted and before freed pages
// were erased. Owners apply the retention policy at their start, also without one.
func TestACutOffForgettingIsFinishedByTheNextOwner(t *testing.T) {
	state, ctx := t.TempDir(), context.Background()
	c, err := core.Open(ctx, core.Options{State: state, Workspace: "/w", Env: env.System()}, Migrate)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	rested := 0
	l := New(c, func() { rested++ })
	update := func(fn func(kv.Tx) error) {
		t.Helper()
		if err := c.Store.Update(ctx, fn); err != nil {
			t.Fatal(err)
		}
	}
	held := func() bool {
		raw, err := os.ReadFile(filepath.Join(state, "ledger.db"))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(raw, []byte("a forgotten word"))
	}
	update(func(tx kv.Tx) error { return tx.Put(core.BucketStubs, []byte("k"), []byte("a forgotten word")) })
	update(func(tx kv.Tx) error {
		s := &step{Tx: tx, e: newEraser(l, c.Now()), counts: map[string]int{}}
		if err := s.begin(); err != nil {
			return err
		}
		return s.Delete(core.BucketStubs, []byte("k"))
	})
	if !held() {
		t.Fatal("no freed page holds the word")
	}
	for range 2 { // the second time nothing is left to do
		if _, err := l.Retain(ctx, ledger.RetainRequest{Apply: true}); err != nil {
			t.Fatal(err)
		}
	}
	if held() || rested != 1 || c.Erased.Load() != 1 {
		t.Errorf("held: %v; caches were dropped %d times", held(), rested)
	}
}
