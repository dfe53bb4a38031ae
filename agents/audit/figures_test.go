package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/tokens"
)

// TestFiguresAreKept: an audit takes the figures of a file that has not changed from the one before it, and of no other.
func TestFiguresAreKept(t *testing.T) {
	const (
		session = "05758ff7-b05d-45d5-a684-2d87d43ae644"
		answer  = `{"type":"assistant","uuid":"u1","sessionId":"s","timestamp":"2026-11-20T12:00:00Z","message":{"id":"m1",` +
			`"role":"assistant","model":"gpt-4o","content":"Done.","usage":{"input_tokens":100}}}` + "\n"
		subagent = `{"type":"progress","uuid":"u2","data":{"type":"agent_progress","agentId":"a","message":{"type":"assistant",` +
			`"message":{"id":"m2","role":"assistant","model":"gpt-4o","content":"Found.","usage":{"input_tokens":10}}}}}` + "\n"
	)
	more := strings.NewReplacer(`"m1"`, `"m3"`, `"u1"`, `"u3"`, "100", "200").Replace(answer)
	other := strings.Replace(answer, "100", "900", 1)
	for name, c := range map[string]struct {
		change func(file, figures string)
		want   int64 // tokens of the second audit
	}{
		"nothing changed": {func(string, string) {}, 110},
		"same size and time": { // so that it is not looked at
			func(file, _ string) {
				info, _ := os.Stat(file)
				write(t, file, []byte(other+subagent))
				_ = os.Chtimes(file, time.Time{}, info.ModTime())
			}, 110},
		"appended": {func(file, _ string) { write(t, file, []byte(answer+subagent+more)) }, 310},
		"its beginning changed": {
			func(file, _ string) {
				write(t, file, []byte(other+subagent))
				_ = os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour))
			}, 910},
		"a copy came": {
			func(file, _ string) { write(t, filepath.Join(filepath.Dir(file), "copy.jsonl"), []byte(answer)) }, 110},
		"its subagent got a file": {
			func(file, _ string) {
				write(t, filepath.Join(filepath.Dir(file), session, "subagents", "agent-a.jsonl"), []byte(more))
			}, 300},
		"damaged": {
			func(file, figures string) {
				raw, err := os.ReadFile(figures)
				if err != nil {
					t.Fatal(err)
				}
				write(t, figures, bytes.ReplaceAll(raw, []byte("gpt-4o"), []byte("gpt-4p")))
			}, 110},
		"no figures": {func(_, figures string) { _ = os.WriteFile(figures, nil, 0o600) }, 110},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, figures := filepath.Join(dir, "p", session+".jsonl"), filepath.Join(dir, "state", "figures")
			write(t, file, []byte(answer+subagent))
			audited := func(program string) audit.Audit {
				found, err := audit.Run(t.Context(), audit.Options{Env: env.System(),
					Paths: []string{filepath.Join(dir, "p")}, Models: tokens.Builtin(), Zone: time.UTC,
					Mask: strings.Clone, Expect: func(int64) {}, Advance: func(int64) {}, Figures: figures,
					Program: program})
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			if got := audited("1").Total.Usage.Input; got != 110 {
				t.Fatalf("%d tokens", got)
			}
			c.change(file, figures)
			for range 2 {
				found := audited("1")
				if got := found.Total.Usage.Input; got != c.want || found.Models[0].Name != "gpt-4o" {
					t.Errorf("%d tokens of %+v, want %d", got, found.Models, c.want)
				}
			}
			if raw, err := os.ReadFile(figures); err != nil || bytes.Contains(raw, []byte("Done")) {
				t.Errorf("kept %q, %v", raw, err)
			}
			if got := audited("2").Total.Usage.Input; name == "same size and time" && got != 910 {
				t.Errorf("another program has %d tokens of the first one", got)
			}
		})
	}
}

// TestAnInterruptedAuditHasWhatItRead: nothing was printed of all that had been read.
func TestAnInterruptedAuditHasWhatItRead(t *testing.T) {
	dir := t.TempDir()
	const files = 300 // more than there are processors
	for i := range files {
		id := fmt.Sprint(i)
		write(t, filepath.Join(dir, id+".jsonl"), []byte(`{"type":"assistant","uuid":"u","sessionId":"`+id+
			`","message":{"id":"`+id+`","role":"assistant","model":"gpt-4o","content":"Done.","usage":{"input_tokens":1}}}`))
	}
	ctx, cancel := context.WithCancel(t.Context())
	found, err := audit.Run(ctx, audit.Options{Env: env.System(), Paths: []string{dir}, Models: tokens.Builtin(),
		Zone: time.UTC, Mask: strings.Clone, Expect: func(int64) {}, Advance: func(int64) { cancel() }})
	if found.Files+found.Unread != files || found.Unread == 0 || found.Total.Usage.Input != int64(found.Files) ||
		len(found.Failed) > 0 || err != ctx.Err() {
		t.Errorf("%d files, %d not read, %+v, %v, %v", found.Files, found.Unread, found.Total, found.Failed, err)
	}
}
