package lsp

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"

	"ctxledger.dev/internal/env"
)

// TestAnOrphanEndsThoughNobodyReads has an editor that goes while the server writes to it, and leaves its pipes open.
func TestAnOrphanEndsThoughNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Env: env.System(), Log: slog.New(slog.DiscardHandler),
			Find: func([]string) (Workspace, error) {
				return Workspace{}, errors.New("no workspace")
			}})
		in, editor := io.Pipe()
		answers, out := io.Pipe()
		served := make(chan error)
		go func() { served <- s.Serve(t.Context(), in, out) }()
		send := func(body string) {
			if _, err := fmt.Fprintf(editor, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
				t.Error(err)
			}
		}
		send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"initializationOptions":{"status":true}}}`)
		if _, err := answers.Read(make([]byte, 64<<10)); err != nil {
			t.Error(err)
		}
		send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`) // the status is due now
		synctest.Wait()
		close(s.orphaned)
		if err := <-served; err != nil {
			t.Error(err)
		}
		s.tasks.begin(func() { t.Error("a task begins after the end") })
		synctest.Wait()
		in.Close()      // a pipe
		answers.Close() // a pipe
	})
}
