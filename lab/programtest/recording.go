package programtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/internal/env"
)

// Recorded returns the records of the session testdata/sessions/shop.jsonl as the agent would have written them in a
// workspace yesterday: files that a session touched more than a week ago are no longer observed, whatever day it is.
func Recorded(t *testing.T, workspace string) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	yesterday := env.System().Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	raw = bytes.ReplaceAll(raw, []byte("2026-11-20T"), []byte(yesterday+"T"))
	return bytes.ReplaceAll(raw, []byte("/home/dev/shop"), []byte(filepath.ToSlash(workspace)))
}
