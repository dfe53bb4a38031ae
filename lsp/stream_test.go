package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func quietStream(in string) *stream {
	return newStream(strings.NewReader(in), io.Discard, slog.New(slog.DiscardHandler), func() {}, strings.Clone)
}

// FuzzTheNextMessageIsFound puts anything but a header in front of a message.
func FuzzTheNextMessageIsFound(f *testing.F) {
	for _, s := range []string{"", "x", "\r\n", "\r", "X: y\r\n", "X: y", "{}", "Content-L", strings.Repeat("z", 9000),
		"a:b\n\n\n", ": \n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		low := bytes.ToLower(before)
		if bytes.Contains(low, []byte("ength")) || bytes.Contains(low, []byte("harset")) {
			return // it may say something of the next message
		}
		msg, _, err := quietStream(string(before) +
			framed(`{"jsonrpc":"2.0","method":"found"}`)).Read(context.Background())
		if n, ok := msg.(*jsonrpc2.Notification); err != nil || !ok || n.Method() != "found" {
			t.Fatalf("%T %v behind %q", msg, err, before)
		}
	})
}

// FuzzMessagesAreThoseOfJSON holds what is taken in against the standard library: it has to be an object that
// this can read, with a version, no member twice and an id that can be answered.
func FuzzMessagesAreThoseOfJSON(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":[1]}}`,
		`{"jsonrpc":"2.0","id":"x","result":null}`, `{"jsonrpc":"2.0","method":"\u0061"}`,
		`{"jsonrpc":"2.0","id":null,"method":"a"}`, `{"a":"\\\"","jsonrpc":"2.0","method":"a"}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		msg, refused := decode(body)
		if (msg == nil) == (refused == nil) {
			t.Fatalf("%q: %v and %v", body, msg, refused)
		}
		call, ok := msg.(*jsonrpc2.Call)
		if !ok || !json.Valid(body) {
			return // the parameters are read later, by a parser that refuses what is not JSON
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var id any
		if err := json.Unmarshal(fields["id"], &id); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		switch id.(type) {
		case string, float64:
		default:
			t.Fatalf("%q: the id is %v, not %v", body, call.ID(), id)
		}
	})
}

// TestALengthMakesNoRoom reads a message that is announced and never comes.
func TestALengthMakesNoRoom(t *testing.T) {
	allocated := testing.AllocsPerRun(5, func() {
		_, _, err := quietStream("Content-Length: 134217728\r\n\r\n{").Read(context.Background())
		if err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	})
	r := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			_, _, _ = quietStream("Content-Length: 134217728\r\n\r\n{").Read(context.Background())
		}
	})
	if r.AllocedBytesPerOp() > 2<<20 {
		t.Errorf("%d bytes for a message of which one byte came (%v allocations)", r.AllocedBytesPerOp(), allocated)
	}
}

// TestAPanicAnswersOneCall has a method fail in every way.
func TestAPanicAnswersOneCall(t *testing.T) {
	f := newFixture(t, func(s *Server) {
		s.methods["test/panic"] = call(func(*folder, context.Context, *nothing) (any, error) {
			panic("boom")
		})
		s.methods["test/tell"] = notification(func(*Server, *nothing) error { panic("boom") })
		s.methods["test/fail"] = call(func(*folder, context.Context, *nothing) (any, error) {
			return nil, io.ErrNoProgress
		})
	})
	f.initialize(t)
	if err := f.Notify("test/tell", nil); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"test/panic", "test/fail"} {
		err := f.Call(f.ctx, method, nil, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "-32603: ") || strings.Contains(err.Error(), "boom") ||
			!strings.Contains(err.Error(), "incident") {
			t.Errorf("%s: %v", method, err)
		}
	}
	if log := f.log.String(); strings.Count(log, "boom") < 2 {
		t.Errorf("the log does not say what happened: %s", log)
	}
	if err := f.Call(f.ctx, "shutdown", nil, nil); err != nil {
		t.Error(err)
	}
}
