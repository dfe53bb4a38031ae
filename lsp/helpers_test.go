package lsp

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/logtest"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/servertools"
	"ctxledger.dev/servertools/asking"
	"ctxledger.dev/trust"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what should take milliseconds.
const patience = 60 * time.Second

// fixture is a server in this process, with its editor.
type fixture struct {
	*Server
	*scriptededitor.Editor
	ctx    context.Context
	log    *logtest.Buffer
	served chan error
}

// newFixture starts a server that is not initialized.
func newFixture(t testing.TB, edit func(*Server)) *fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	log := &logtest.Buffer{}
	f := &fixture{ctx: ctx, log: log, served: make(chan error, 1)}
	f.Server = New(Options{Version: "test", Env: env.System(), Log: slog.New(slog.NewTextHandler(log, nil)),
		AskServer: func(ctx context.Context, approved trust.ApprovedServer) (asking.Answer, error) {
			return servertools.Ask(ctx, approved, f.sanitize)
		}})
	if edit != nil {
		edit(f.Server)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	f.Editor = scriptededitor.New(toServer, fromServer)
	go func() {
		f.served <- f.Serve(ctx, in, out)
		in.Close()  // a pipe
		out.Close() // a pipe
	}()
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := <-f.served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		cancel()
	})
	return f
}

// everything are the settings that show all there is.
var everything = map[string]any{"lens": "always", "hover": "always", "hints": 1, "symbols": true, "folding": true,
	"countSelection": true}

// initialize begins a session that shows everything. It has begun when the next request is answered, whatever is answered.
func (f *fixture) initialize(t *testing.T) {
	t.Helper()
	if _, err := f.Initialize(f.ctx, nil, everything, nil); err != nil {
		t.Fatal(err)
	}
	_ = f.Call(f.ctx, "ctxledger/tree", map[string]any{}, nil)
}

// has returns what the server has of a document, which it takes in before it answers.
func (f *fixture) has(t *testing.T, uri string) string {
	t.Helper()
	if err := f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document(uri, nil), nil); err != nil {
		t.Fatal(err)
	}
	for _, d := range f.documents.all() {
		if string(d.spelled) == uri {
			return string(d.text.Bytes(0, d.text.Len()))
		}
	}
	t.Fatalf("%s is not open", uri)
	return ""
}
