package lsp

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/testonly/scriptededitor"
)

// slow adds a method that answers about a document when the test lets it.
func slow(answer <-chan struct{}) func(*Server) {
	return func(s *Server) {
		s.methods["test/slow"] = about(
			func(_ *folder, ctx context.Context, d *document, _ *protocol.CodeLensParams) (protocol.String, error) {
				select {
				case <-answer:
					return protocol.String(d.text.Bytes(0, d.text.Len())), nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			})
	}
}

func TestAnAnswerForAnOlderTextIsRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(*fixture, int) error
		error string // "": it is answered
	}{
		{"nothing happens", func(*fixture, int) error { return nil }, ""},
		{"an edit", func(f *fixture, _ int) error { return f.Change("untitled:x", 2, scriptededitor.Range{}, "new") },
			"-32801: "},
		{"the document is closed", func(f *fixture, _ int) error {
			return f.Notify("textDocument/didClose", scriptededitor.Document("untitled:x", nil))
		}, "-32801: "},
		{"another document is edited",
			func(f *fixture, _ int) error { return f.Change("untitled:y", 2, scriptededitor.Range{}, "new") }, ""},
		{"it is cancelled",
			func(f *fixture, id int) error { return f.Notify("$/cancelRequest", map[string]any{"id": id}) },
			"-32800: "},
		{"another call is",
			func(f *fixture, id int) error { return f.Notify("$/cancelRequest", map[string]any{"id": id + 1}) }, ""},
	} {
		let := make(chan struct{})
		f := newFixture(t, slow(let))
		f.initialize(t)
		for _, u := range []string{"untitled:x", "untitled:y"} {
			if err := f.Open(u, "plaintext", "old"); err != nil {
				t.Fatal(err)
			}
		}
		call, err := f.Begin("test/slow", scriptededitor.Document("untitled:x", nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.do(f, call.ID); err != nil {
			t.Fatal(err)
		}
		f.has(t, "untitled:y") // whatever was sent has been taken in
		close(let)
		var got string
		err = call.Wait(f.ctx, &got)
		if c.error == "" && (err != nil || got != "old") ||
			c.error != "" && (err == nil || !strings.HasPrefix(err.Error(), c.error)) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// TestTooManyCallsAreRefused has more calls under way than the server takes.
func TestTooManyCallsAreRefused(t *testing.T) {
	let := make(chan struct{})
	f := newFixture(t, slow(let))
	f.initialize(t)
	if err := f.Open("untitled:x", "plaintext", "old"); err != nil {
		t.Fatal(err)
	}
	var calls []*scriptededitor.Pending
	for range maxInFlight {
		call, err := f.Begin("test/slow", scriptededitor.Document("untitled:x", nil))
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call)
	}
	err := f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document("untitled:x", nil), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "-32803: ") {
		t.Errorf("one more: %v", err)
	}
	close(let)
	for _, c := range calls {
		if err := c.Wait(f.ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	f.has(t, "untitled:x")
}

// TestAnIDUnderWayIsNotTakenTwice makes a call under the id of one that waits: that alone is refused.
func TestAnIDUnderWayIsNotTakenTwice(t *testing.T) {
	let := make(chan struct{})
	f := newFixture(t, slow(let))
	f.initialize(t)
	if err := f.Open("untitled:x", "plaintext", "old"); err != nil {
		t.Fatal(err)
	}
	first := []byte(`{"jsonrpc":"2.0","id":"twice","method":"test/slow","params":{"textDocument":{"uri":"untitled:x"}}}`)
	for range 2 {
		if err := f.Write(first); err != nil {
			t.Fatal(err)
		}
	}
	answers := func(n int) []scriptededitor.Message {
		told, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool { return len(told) >= n })
		if err != nil {
			t.Fatal(err)
		}
		return told
	}
	if got := answers(1); string(got[0].ID) != `"twice"` || got[0].Error == nil || got[0].Error.Code != -32600 {
		t.Errorf("the second is answered with %+v", got[0])
	}
	close(let)
	if got := answers(2); string(got[1].ID) != `"twice"` || string(got[1].Result) != `"old"` {
		t.Errorf("the first is answered with %+v", got[1])
	}
}

// TestEverythingIsTakenInInTheOrderOfTheWire sends notifications and calls in turns.
func TestEverythingIsTakenInInTheOrderOfTheWire(t *testing.T) {
	var order []string // without a lock: nothing else may be taken in meanwhile
	f := newFixture(t, func(s *Server) {
		take := func(_ *Server, raw jsonrpc2.RawMessage) (answer, error) {
			order = append(order, string(raw))
			return func(context.Context) (any, error) { return protocol.Integer(0), nil }, nil
		}
		s.methods["test/tell"] = method{accept: take}
		s.methods["test/ask"] = method{call: true, accept: take}
	})
	f.initialize(t)
	const n = 5000
	var last *scriptededitor.Pending
	for i := 0; i < n; i += 2 {
		var err error
		if last, err = f.Begin("test/ask", i); err != nil {
			t.Fatal(err)
		}
		if err := f.Notify("test/tell", i+1); err != nil {
			t.Fatal(err)
		}
		if i%500 == 0 { // not more at once than are taken
			if err := last.Wait(f.ctx, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := last.Wait(f.ctx, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Call(f.ctx, "shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	for i, got := range order {
		if got != strconv.Itoa(i) {
			t.Fatalf("%s was taken in as number %d", got, i)
		}
	}
	if len(order) != n {
		t.Errorf("%d of %d were taken in", len(order), n)
	}
}

// TestTheEndOfTheInputEndsCallsUnderWay leaves while a call waits; the fixture wants Serve to return.
func TestTheEndOfTheInputEndsCallsUnderWay(t *testing.T) {
	f := newFixture(t, slow(nil))
	f.initialize(t)
	if err := f.Open("untitled:x", "plaintext", "old"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Begin("test/slow", scriptededitor.Document("untitled:x", nil)); err != nil {
		t.Fatal(err)
	}
	f.has(t, "untitled:x")
}

// TestACallIsAboutTheTextBeforeLaterChanges has a change come while a call is taken in: the call is refused as
// outdated then, and never answered from the later text.
func TestACallIsAboutTheTextBeforeLaterChanges(t *testing.T) {
	taking, compute := make(chan struct{}), make(chan struct{})
	f := newFixture(t, func(s *Server) {
		m := about(func(_ *folder, _ context.Context, d *document,
			_ *protocol.CodeLensParams) (protocol.String, error) {
			<-compute
			return protocol.String(d.text.Bytes(0, d.text.Len())), nil
		})
		s.methods["test/about"] = method{call: true, accept: func(s *Server, raw jsonrpc2.RawMessage) (answer, error) {
			close(taking)
			// Nothing else is taken in now. A server that does so has the time for it here.
			for late := time.Now().Add(100 * time.Millisecond); time.Now().Before(late); runtime.Gosched() {
				if s.documents.get("untitled:x").version != 1 {
					break
				}
			}
			return m.accept(s, raw)
		}}
	})
	f.initialize(t)
	if err := f.Open("untitled:x", "plaintext", "old"); err != nil {
		t.Fatal(err)
	}
	call, err := f.Begin("test/about", scriptededitor.Document("untitled:x", nil))
	if err != nil {
		t.Fatal(err)
	}
	<-taking
	if err := f.Change("untitled:x", 2, scriptededitor.Range{}, "new"); err != nil {
		t.Fatal(err)
	}
	f.has(t, "untitled:x") // the change has been taken in
	close(compute)
	var got string
	if err := call.Wait(f.ctx, &got); err == nil || !strings.HasPrefix(err.Error(), "-32801: ") {
		t.Errorf("a call about the old text is answered with %q, %v", got, err)
	}
}
