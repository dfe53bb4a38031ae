package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
)

const shop = "../../testdata/sessions/compacted.jsonl"

// TestASessionIsPlayed under every policy, and a file that cannot be read is named while the rest goes on.
func TestASessionIsPlayed(t *testing.T) {
	var out bytes.Buffer
	b := bench{env: env.System(), out: &out}
	err := b.replay(context.Background(), []string{"missing.jsonl", shop})
	if err == nil || !strings.Contains(err.Error(), "missing.jsonl") {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"POLICY", "\nnone ", "\nctxledger ", "\nSimulated; no tasks were re-run."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	out.Reset()
	if err := b.kept(context.Background(), []string{shop}); err != nil || !strings.HasPrefix(out.String(), "No compaction") {
		t.Errorf("%v, %s", err, &out)
	}
}
