package lsp

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/env"
)

// unread is the output of a server whose client does not read.
type unread struct {
	full   chan struct{} // closed when the server waits
	opened chan struct{}
}

func (u unread) Write(p []byte) (int, error) {
	select {
	case <-u.full:
	default:
		close(u.full)
	}
	<-u.opened
	return len(p), nil
}

// deaf returns a server whose client does not read.
func deaf(ctx context.Context) (*Server, unread) {
	out := unread{make(chan struct{}), make(chan struct{})}
	s := New(Options{Env: env.System(), Log: slog.New(slog.DiscardHandler)})
	s.life = ctx
	s.conn = jsonrpc2.NewConn(newStream(strings.NewReader(""), out, s.o.Log, func() {}, s.sanitize),
		jsonrpc2.WithCodec(codec{}))
	s.client = protocol.ClientDispatcher(s.conn)
	return s, out
}

// TestAClientThatDoesNotReadCanCancel ends work whose begin cannot be sent.
func TestAClientThatDoesNotReadCanCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, out := deaf(t.Context())
	begun := make(chan struct{})
	go func() { defer close(begun); s.progress(ctx, protocol.String("mine"), "work", false, cancel) }()
	<-out.full
	go func() {
		cancel := methods()["window/workDoneProgress/cancel"]
		if _, err := cancel.accept(s, jsonrpc2.RawMessage(`{"token":"mine"}`)); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-ctx.Done():
	case <-time.After(patience / 10):
		t.Error("nothing is read from a client that reads nothing")
	}
	close(out.opened)
	<-begun
}
