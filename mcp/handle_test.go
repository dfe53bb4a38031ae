package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/limits"
)

// asked is a request as a client writes it.
func asked(id, method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, id, method, params)
}

// tell has a server answer a request of a client, and returns the answer.
func tell(t *testing.T, s *Server, c *Client, id, method, params string) string {
	t.Helper()
	return string(s.Handle(c.Context(t.Context()), asked(id, method, params)))
}

const hello = `{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"%s","version":"1"}}`

// TestTwoClientsOfOneServerShareNothing: neither name, roots and ledger, nor the ids of requests, nor answers in pages.
func TestTwoClientsOfOneServerShareNothing(t *testing.T) {
	open := func(ctx context.Context, roots []string) (Ledger, string, error) {
		if len(roots) != 1 {
			return nil, "", fmt.Errorf("roots %q", roots)
		}
		local, err := engine.Open(ctx, engine.Options{State: t.TempDir(), Workspace: roots[0], Env: testEnv()})
		return local, roots[0], err
	}
	s, err := New(open, Options{Env: testEnv(), AskRoots: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []*Client
	for _, name := range []string{"one", "two"} {
		var c *Client
		c = s.Connect(func(line []byte) error {
			if !strings.Contains(string(line), `"roots/list"`) {
				return errors.New("asked " + string(line))
			}
			go s.Handle(c.Context(t.Context()),
				fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"/home/dev/%s"}]}}`, name))
			return nil
		})
		contains(t, tell(t, s, c, "1", "initialize", fmt.Sprintf(hello, name)), `"protocolVersion":"2025-11-25"`)
		contains(t, tell(t, s, c, "2", "tools/call",
			`{"name":"memory","arguments":{"action":"save","name":"n","body":"of `+name+`"}}`), "saved")
		all = append(all, c)
	}
	for i, name := range []string{"one", "two"} {
		got := tell(t, s, all[i], "3", "tools/call", `{"name":"memory","arguments":{"action":"get","name":"n"}}`)
		contains(t, got, "of "+name, "agent:"+name)
	}
	if !all[0].begin([]byte("4")) || !all[1].begin([]byte("4")) || all[0].begin([]byte("4")) {
		t.Error("the ids of requests are not kept by client")
	}
	all[0].long.put(longAnswer{id: "answer-1", text: "secret"})
	contains(t, tell(t, s, all[1], "5", "tools/call", `{"name":"read_artifact","arguments":{"id":"answer-1"}}`),
		"is no longer kept")
	for _, c := range all {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWithoutAClientARequestSpeaksForItself, as all do in the newer protocol.
func TestWithoutAClientARequestSpeaksForItself(t *testing.T) {
	f := newFixture(t, nil)
	got := string(f.Handle(t.Context(), asked("1", "tools/call", `{"name":"memory",`+
		`"arguments":{"action":"save","name":"n","body":"b"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"walker",`+
		`"version":"1"}}}`)))
	contains(t, got, `"resultType":"complete"`, "agent:walker")
	for name, line := range map[string]string{
		"a notification":        `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		"an answer":             `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`,
		"a wrong notification":  `{"jsonrpc":"2.0","method":"x","params":[]}`,
		"a forged cancellation": `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		if got := f.Handle(t.Context(), []byte(line)); got != nil {
			t.Errorf("%s is answered %s", name, got)
		}
	}
	contains(t, string(f.Handle(t.Context(), []byte("["))), `"id":null`, "-32700")
	long := asked("7", "ping", `{"x":"`+strings.Repeat("x", limits.MCPMessage)+`"}`)
	contains(t, string(f.Handle(t.Context(), long)), `"id":7`, "-32600", "longer than 16 MiB")
}

// TestAnAnswerIsWhatTheLibraryWouldWrite: our encoder of a tool's result only saves copies.
func TestAnAnswerIsWhatTheLibraryWouldWrite(t *testing.T) {
	f := newFixture(t, nil)
	text := "a \"quoted\" line\n\u2028<b>&\x01"
	for name, r := range map[string]*proto.CallToolResult{
		"text":       proto.NewToolResultText(text),
		"structured": proto.NewToolResultStructured(map[string]any{"b": text, "a": 1}, text),
		"an error":   proto.NewToolResultError(text),
		"modern": {Result: proto.Result{ResultType: proto.ResultTypeComplete,
			Meta: proto.NewMetaFromMap(map[string]any{"k": "v"})},
			Content: []proto.Content{proto.NewTextContent(text)}},
	} {
		answer := proto.NewJSONRPCResultResponse(proto.NewRequestId("x"), r)
		want, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.encode(json.RawMessage(`"x"`), answer); string(got) != string(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	// What cannot be encoded is an error of that request.
	got := string(f.encode([]byte("7"), proto.NewJSONRPCResultResponse(proto.NewRequestId(7), make(chan int))))
	contains(t, got, `"id":7`, "incident")
}

// TestNotificationsComeBeforeTheAnswerThatTheyBelongTo, whatever the client waits for.
func TestNotificationsComeBeforeTheAnswerThatTheyBelongTo(t *testing.T) {
	f := newFixture(t, nil)
	var lines []string
	c := f.Connect(func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	})
	lines = append(lines, tell(t, f.Server, c, "1", "subscriptions/listen", `{"notifications":{},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`))
	if len(lines) != 2 || !strings.Contains(lines[0], "acknowledged") || !strings.Contains(lines[1], `"id":1`) {
		t.Errorf("it was sent %q", lines)
	}
}

// refusing is a client that is gone.
type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestServeEndsWhenNothingCanBeWritten, whatever is still to be read.
func TestServeEndsWhenNothingCanBeWritten(t *testing.T) {
	f := newFixture(t, nil)
	in, client := io.Pipe()
	defer func() { _ = client.Close() }()
	go func() { _, _ = client.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")) }()
	if err := f.Serve(t.Context(), in, refusing{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("it ends with %v", err)
	}
}

// TestTwoServersInOneProcess answer each their own client.
func TestTwoServersInOneProcess(t *testing.T) {
	f := newFixture(t, nil)
	clients := []*served{serve(t, f.Server, t.Context()), serve(t, f.Server, t.Context())}
	for i, v := range clients {
		v.send(t, string(asked("1", "initialize", fmt.Sprintf(hello, fmt.Sprint("client", i)))))
		_, _ = v.out.ReadString('\n')
	}
	for i, v := range slices.Backward(clients) {
		v.send(t, string(asked("1", "tools/call",
			`{"name":"memory","arguments":{"action":"save","name":"n`+fmt.Sprint(i)+`","body":"b"}}`)))
		line, err := v.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		contains(t, line, "agent:client"+fmt.Sprint(i))
		_ = v.in.Close()
		if err := <-v.done; err != nil {
			t.Error(err)
		}
	}
}
