package engine_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
)

// open returns a fresh ledger of a workspace, with every transaction run twice.
func open(t *testing.T, dir string) *engine.Local {
	t.Helper()
	l, err := engine.Open(context.Background(), engine.Options{
		State: dir, Workspace: "/home/dev/shop", Env: env.System(), RunTwice: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// shop imports the recorded session and returns its id.
func shop(t *testing.T, l *engine.Local) string {
	t.Helper()
	report, err := claudecode.Import(context.Background(), l, claudecode.Source{Path: "../testdata/sessions/shop.jsonl"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report.Session
}

func TestSmoke(t *testing.T) {
	l := open(t, t.TempDir())
	ctx := context.Background()
	start := time.Now()
	id := shop(t, l)
	t.Log("import", time.Since(start), id)
	start = time.Now()
	v, err := engine.Messages(ctx, l, engine.ViewRequest{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("view", time.Since(start), len(v.Messages), v.Tokens)
	start = time.Now()
	p, err := engine.Compact(ctx, l, engine.PlanCompactionRequest{Session: id}, "", false)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("compact", time.Since(start), p.Outcome, p.Why, p.Summary.TokensBefore, p.Summary.TokensAfter, p.Summary.From, p.Summary.To, p.Summary.TextTokens)
	t.Log(p.Summary.Text)
	var b bytes.Buffer
	n, err := engine.WriteOriginals(ctx, l, &b, id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := os.ReadFile("../testdata/sessions/shop.jsonl")
	t.Log(n, bytes.Equal(raw, b.Bytes()))
	st, err := l.Status(ctx, engine.StatusRequest{Session: id})
	t.Log(st, err)
	c, err := l.Changes(ctx, engine.ChangesRequest{Session: id, Limit: 5})
	t.Logf("%+v %v", c, err)
}
