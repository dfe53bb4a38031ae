package link

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/internal/env"
)

// TestSuspectsAreSentOneAfterTheOther: sent at once, harmless requests of others were blamed for the crashes, on a busy machine
// in one of ten runs.
func TestSuspectsAreSentOneAfterTheOther(t *testing.T) {
	state := t.TempDir()
	if err := os.MkdirAll(filepath.Dir(LogPath(state)), 0o700); err != nil {
		t.Fatal(err)
	}
	crashed := errors.New("crashed")
	suspect := func() *attempt {
		c := &Client{o: Options{State: state, Env: env.System()}, life: t.Context()}
		return &attempt{c: c, deaths: 1, failed: crashed}
	}
	first, second := suspect(), suspect()
	if err := first.pause(t.Context()); err != nil || first.turn == nil {
		t.Fatalf("the first waits: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 4*firstBackoff)
	defer cancel()
	if err := second.pause(short); !errors.Is(err, crashed) {
		t.Errorf("beside the first: %v", err)
	}
	first.end()
	if err := second.pause(t.Context()); err != nil || second.turn == nil {
		t.Errorf("after the first: %v", err)
	}
	second.end()
}

func TestBackoff(t *testing.T) {
	for n, want := range map[int]time.Duration{0: 0, 1: firstBackoff, 2: 2 * firstBackoff, 100: longestBackoff} {
		if got := backoff(n); got != want {
			t.Errorf("after %d deaths: %v, not %v", n, got, want)
		}
	}
}
