package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/ledger"
)

// served is a server at work on pipes.
type served struct {
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func serve(t *testing.T, s *Server, ctx context.Context) *served {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	v := &served{toServer, bufio.NewReader(fromServer), make(chan error, 1)}
	go func() {
		err := s.Serve(ctx, fromClient, toClient)
		v.done <- errors.Join(err, toClient.Close())
	}()
	return v
}

func (v *served) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(v.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// slow is a ledger that answers when the test allows it.
type slow struct {
	ledger.API
	asked, answer chan struct{}
}

func (s *slow) Sessions(ctx context.Context, r ledger.SessionsRequest) (ledger.SessionsResponse, error) {
	close(s.asked)
	select {
	case <-s.answer:
	case <-ctx.Done():
		return ledger.SessionsResponse{}, ctx.Err()
	}
	return s.API.Sessions(ctx, r)
}

func TestRequestsUnderWayAreAnsweredAfterTheEndOfInput(t *testing.T) {
	f := newFixture(t, nil)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	gate := &slow{f.local, make(chan struct{}), make(chan struct{})}
	s, err := New(func(context.Context, []string) (Ledger, string, error) { return gate, "", nil },
		Options{Env: testEnv()})
	if err != nil {
		t.Fatal(err)
	}
	v := serve(t, s, t.Context())
	v.send(t, `{"jsonrpc":"2.0","id":"slow","method":"prompts/get","params":{"name":"resume"}}`)
	<-gate.asked
	if err := v.in.Close(); err != nil { // the end of input
		t.Fatal(err)
	}
	close(gate.answer)
	line, err := v.out.ReadString('\n')
	if err != nil || !strings.Contains(line, `"id":"slow"`) ||
		!strings.Contains(line, "ledger of this workspace is empty") {
		t.Errorf("%v: %s", err, line)
	}
	if err := <-v.done; err != nil {
		t.Error(err)
	}
}

// TestAServerKnowsWhenItsClientIsIdle: once for each time.
func TestAServerKnowsWhenItsClientIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := 0
		s, err := New(nil, Options{Env: testEnv(), AskRoots: true, Idle: func() { times++ }})
		if err != nil {
			t.Fatal(err)
		}
		v := serve(t, s, t.Context())
		for _, c := range []struct {
			after time.Duration
			want  int
		}{{idleAfter - 1, 0}, {idleAfter - 1, 0}, {idleAfter, 1}, {time.Hour, 2}} {
			v.send(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			if _, err := v.out.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			time.Sleep(c.after) //style:ok the clock of the bubble
			synctest.Wait()
			if times != c.want {
				t.Errorf("called %d times, want %d", times, c.want)
			}
		}
		if err := errors.Join(v.in.Close(), <-v.done); err != nil {
			t.Error(err)
		}
	})
}

func TestServeEndsWithItsContext(t *testing.T) {
	f := newFixture(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	v := serve(t, f.Server, ctx)
	v.send(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if _, err := v.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-v.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
	_ = v.in.Close() // lets the reading goroutine end
}

func TestConcurrentCallsAnswerWholeLines(t *testing.T) {
	f := newFixture(t, nil)
	v := serve(t, f.Server, t.Context())
	const n = 150
	go func() {
		for i := range n {
			v.send(t,
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory","arguments":{"action":"save","name":"n%d","body":"b"}}}`, i, i))
			v.send(t, "garbage")
		}
		_ = v.in.Close()
	}()
	seen, refusals := map[string]bool{}, 0
	for {
		line, err := v.out.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var a struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if err != nil || json.Unmarshal([]byte(line), &a) != nil {
			t.Fatalf("%v: %q", err, line)
		}
		if a.Result == nil {
			refusals++
		} else {
			seen[string(a.ID)] = true
		}
	}
	if len(seen) != n || refusals != n {
		t.Errorf("%d answers and %d refusals of %d each", len(seen), refusals, n)
	}
	if err := <-v.done; err != nil {
		t.Error(err)
	}
}

func TestACancelledRequestEnds(t *testing.T) {
	f := newFixture(t, nil)
	gate := &slow{f.local, make(chan struct{}), make(chan struct{})} // which never answers
	s, err := New(func(context.Context, []string) (Ledger, string, error) { return kept{gate}, "", nil },
		Options{Env: testEnv()})
	if err != nil {
		t.Fatal(err)
	}
	v := serve(t, s, t.Context())
	v.send(t, `{"jsonrpc":"2.0","id":"slow","method":"prompts/get","params":{"name":"resume"}}`)
	<-gate.asked
	v.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`)
	if line, err := v.out.ReadString('\n'); err != nil || !strings.Contains(line, "context canceled") {
		t.Errorf("%v: %s", err, line)
	}
	_ = v.in.Close()
	if err := <-v.done; err != nil {
		t.Error(err)
	}
}

// TestAPingIsAnsweredWhileToolsAreAtWork, as many as may be.
func TestAPingIsAnsweredWhileToolsAreAtWork(t *testing.T) {
	f := newFixture(t, nil)
	c := f.Connect(nil)
	for range workers {
		c.busy <- struct{}{}
	}
	called := make(chan string)
	go func() { called <- tell(t, f.Server, c, "1", "tools/call", `{"name":"changes"}`) }()
	contains(t, tell(t, f.Server, c, "2", "ping", "{}"), `"id":2`, `"result":{}`)
	<-c.busy
	contains(t, <-called, `"id":1`, "no changes are known")
}
