package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"testing"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

// watcher is a `ctxledger events --follow` that runs during the whole test.
type watcher struct {
	cmd    *exec.Cmd
	events chan ledger.Event // closed when the process has ended
}

// watch starts a watcher, which is stopped when the test ends.
func watch(t *testing.T, s *sandbox.Sandbox) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watcher{cmd: s.Command(ctx, "events", "--follow", "--json"), events: make(chan ledger.Event)}
	w.cmd.Cancel = func() error { return w.cmd.Process.Signal(os.Interrupt) }
	out, err := w.cmd.StdoutPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	go func() {
		defer close(w.events)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e ledger.Event
			if json.Unmarshal(lines.Bytes(), &e) != nil {
				return // the test misses the event
			}
			select {
			case w.events <- e:
			case <-ctx.Done():
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		for range w.events {
			continue // let it end
		}
		if err := w.cmd.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("watcher: %v", err)
		}
	})
	return w
}

// until returns what the watcher printed up to an event.
func (w *watcher) until(t *testing.T, seq int64) []ledger.Event {
	t.Helper()
	var out []ledger.Event
	for ctx := deadlined(t); ; {
		select {
		case e, ok := <-w.events:
			if !ok {
				t.Fatalf("the watcher ended after %d events", len(out))
			}
			if out = append(out, e); e.Seq >= seq {
				return out
			}
		case <-ctx.Done():
			t.Fatalf("the watcher printed %d events, but not number %d", len(out), seq)
		}
	}
}
