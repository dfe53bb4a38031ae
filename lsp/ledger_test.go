package lsp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

// counted is a ledger that notes when it is closed.
type counted struct {
	ledger.API
	closed *int
}

func (c counted) Close() error { *c.closed++; return c.API.Close() }

// TestALedgerIsOpenedOnce lends one that cannot be opened twice.
func TestALedgerIsOpenedOnce(t *testing.T) {
	state, opened, closed, fails := t.TempDir(), 0, 0, true
	lend := newLedger(func(ctx context.Context) (ledger.API, error) {
		if opened++; fails {
			return nil, errors.New("not now")
		}
		l, err := engine.Open(ctx, engine.Options{State: state, Env: env.System()})
		return counted{l, &closed}, err
	}).open
	if _, err := lend(t.Context()); err == nil || err.Error() != "not now" {
		t.Fatalf("an error of opening: %v", err)
	}
	fails = false
	for round := range 2 {
		first, err := lend(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, err := lend(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // giving back twice is giving back once
			if err := first.Close(); err != nil || closed != round {
				t.Fatalf("closed %d times, %v", closed, err)
			}
		}
		if _, err := second.Info(t.Context(), ledger.InfoRequest{}); err != nil {
			t.Errorf("it is used after another one gave it back: %v", err)
		}
		if err := second.Close(); err != nil || closed != round+1 || opened != round+2 {
			t.Fatalf("opened %d times, closed %d times, %v", opened, closed, err)
		}
	}
}

// TestNobodyWaitsForALedgerForEver gives up while somebody else opens it.
func TestNobodyWaitsForALedgerForEver(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	lend := newLedger(func(context.Context) (ledger.API, error) { close(entered); <-leave; return nil, errors.New("never") }).open
	done := make(chan error)
	go func() { _, err := lend(t.Context()); done <- err }()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lend(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(leave)
	if err := <-done; err == nil || err.Error() != "never" {
		t.Errorf("%v", err)
	}
}

// TestWithoutAFolderThereIsNoLedger asks a server that was started nowhere.
func TestWithoutAFolderThereIsNoLedger(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	err := f.Call(f.ctx, "ctxledger/context", map[string]any{"session": ""}, nil)
	if err == nil || !strings.Contains(err.Error(), "no folder is open that has a ledger; open a folder") {
		t.Errorf("%v", err)
	}
}
