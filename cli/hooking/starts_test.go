package hooking

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/internal/env"
)

// TestThePauseBetweenStartsGrows asks every tenth of a second for ten minutes: a daemon that cannot start is started
// 6 times in the first minute and then once a minute.
func TestThePauseBetweenStartsGrows(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	begun := now
	s := startsIn(t.TempDir(), env.Env{Now: func() time.Time { return now }})
	var at []time.Duration
	for ; now.Sub(begun) < 5*time.Minute; now = now.Add(100 * time.Millisecond) {
		if s.due() {
			at = append(at, now.Sub(begun))
		}
	}
	want := []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183, 243}
	for i := range max(len(at), len(want)) {
		if i >= len(at) || i >= len(want) || at[i] != want[i]*time.Second {
			t.Fatalf("started after %v, want %v seconds", at, want)
		}
	}
	now = now.Add(time.Hour)
	if !s.due() {
		t.Error("an hour later none may be started")
	}
	if now = now.Add(firstPause); !s.due() {
		t.Error("an hour later the pause is as long as before")
	}
}

// TestStartsThatCannotBeCounted: what is wrong with the state directory, the daemon says.
func TestStartsThatCannotBeCounted(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for name, make := range map[string]func(state string) error{
		"a file in the place of the directory": func(state string) error {
			return os.WriteFile(filepath.Join(state, "log"), nil, 0o600)
		},
		"a directory in the place of the file": func(state string) error {
			return os.MkdirAll(filepath.Join(state, "log", "hook.starts"), 0o700)
		},
		"a clock that was set back": func(state string) error {
			if !startsIn(state, env.Env{Now: func() time.Time { return now.Add(time.Hour) }}).due() {
				t.Error("the first start is not due")
			}
			return nil
		},
	} {
		state := t.TempDir()
		if err := make(state); err != nil {
			t.Fatal(err)
		}
		if !startsIn(state, env.Env{Now: func() time.Time { return now }}).due() {
			t.Errorf("%s: none may be started", name)
		}
	}
}
