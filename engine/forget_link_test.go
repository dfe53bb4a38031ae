package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/ledger"
)

// Forgetting once removed what a link in the place of the directory of exports led to.
func TestForgettingEmptiesNoDirectoryElsewhere(t *testing.T) {
	state, elsewhere := t.TempDir(), t.TempDir()
	l, _ := openIn(t, state, "/w")
	plant(t, l, planted)
	file := filepath.Join(elsewhere, "notes.txt")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(state, "exports")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Skip(err)
	}
	_, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: planted})
	if _, lost := os.Stat(file); lost != nil {
		t.Errorf("forgetting removed a file elsewhere: %v", lost)
	}
	if err == nil {
		t.Error("what cannot be emptied is not told")
	}
}
