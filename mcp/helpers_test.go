package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	proto "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/logtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shopFile is a session that the real Claude Code recorded, see testdata/sessions/README.md.
const shopFile = "../testdata/sessions/shop.jsonl"

// shopRoot is the directory in which it was recorded.
const shopRoot = "/home/dev/shop"

// testEnv is the process environment without host variables, at the end of the recorded session.
func testEnv() env.Env {
	e := env.System()
	e.Lookup, e.Home = func(string) string { return "" }, "/home/dev" // where no agent is set up
	now := time.Date(2026, 11, 20, 11, 5, 0, 0, time.UTC)
	e.Now = func() time.Time { return now }
	return e
}

// fixture is a server on a real ledger, and what it logged.
type fixture struct {
	*Server
	tree  string // that its clients work in
	local *engine.Local
	log   *logtest.Buffer
}

// kept is a ledger that the fixture closes, and no client.
type kept struct{ Ledger }

func (kept) Close() error { return nil }

// newFixture opens a ledger of its own in a temporary directory.
func newFixture(t *testing.T, edit func(*Options)) *fixture {
	t.Helper()
	return fixtureWith(t, engine.Settings{}, edit)
}

// fixtureWith is newFixture with settings of the ledger.
func fixtureWith(t *testing.T, settings engine.Settings, edit func(*Options)) *fixture {
	t.Helper()
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: shopRoot, Env: testEnv(),
		Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	log := &logtest.Buffer{}
	o := Options{Version: "test", Env: testEnv(), Structured: true, Log: slog.New(slog.NewTextHandler(log, nil))}
	if edit != nil {
		edit(&o)
	}
	f := &fixture{local: local, log: log}
	f.Server, err = New(func(context.Context, []string) (Ledger, string, error) { return kept{local}, f.tree, nil }, o)
	if err != nil {
		t.Fatal(err)
	}
	server.WithOutputSchemaValidation()(f.mcp) // every result of every test fits its output schema
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// shop imports the recorded session and returns its id.
func (f *fixture) shop(t *testing.T) string {
	t.Helper()
	r, err := agents.Import(t.Context(), f.local, agents.Source{Path: shopFile}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

// eras are the ways to connect: with the handshake, and without.
var eras = map[string][]client.ClientOption{
	"2026-07-28": nil,
	"2025-11-25": {client.WithProtocolVersion("2025-11-25")},
}

// handled is the way to a server without a process between: Handle.
type handled struct {
	server *Server
	client *Client
}

func (h handled) Start(context.Context) error                              { return nil }
func (h handled) SetNotificationHandler(func(n proto.JSONRPCNotification)) {}
func (h handled) GetSessionId() string                                     { return "" }
func (h handled) Close() error                                             { return h.client.Close() }

func (h handled) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var answer transport.JSONRPCResponse
	return &answer, json.Unmarshal(h.server.Handle(h.client.Context(ctx), line), &answer)
}

func (h handled) SendNotification(ctx context.Context, n proto.JSONRPCNotification) error {
	line, err := json.Marshal(n)
	h.server.Handle(h.client.Context(ctx), line)
	return err
}

// connect returns an initialised client in the server's process.
func connect(t *testing.T, s *Server, name string, options ...client.ClientOption) *client.Client {
	t.Helper()
	c := client.NewClient(handled{s, s.Connect(nil)}, options...)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var r proto.InitializeRequest
	r.Params.ProtocolVersion = "2025-11-25"
	r.Params.ClientInfo = proto.Implementation{Name: name, Version: "1"}
	if _, err := c.Initialize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// inEachEra runs a test with a fresh server and a client of each era.
func inEachEra(t *testing.T, test func(t *testing.T, f *fixture, c *client.Client)) {
	t.Helper()
	for era, options := range eras {
		t.Run(era, func(t *testing.T) {
			f := newFixture(t, nil)
			test(t, f, connect(t, f.Server, "tester", options...))
		})
	}
}

// args are the arguments of a call.
type args map[string]any

// try calls a tool and returns its result, of which errors are a kind.
func try(t *testing.T, c *client.Client, tool string, a args) *proto.CallToolResult {
	t.Helper()
	var r proto.CallToolRequest
	r.Params.Name, r.Params.Arguments = tool, map[string]any(a)
	result, err := c.CallTool(t.Context(), r)
	if err != nil {
		t.Fatalf("%s %v: protocol error: %v", tool, a, err)
	}
	return result
}

// do calls a tool that must succeed and decodes its structured result.
func do[T any](t *testing.T, c *client.Client, tool string, a args) (T, string) {
	t.Helper()
	result := try(t, c, tool, a)
	text := textOf(t, result)
	if result.IsError {
		t.Fatalf("%s %v: %s", tool, a, text)
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var v T
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, raw)
	}
	return v, text
}

// refused calls a tool that must fail and returns the text.
func refused(t *testing.T, c *client.Client, tool string, a args) string {
	t.Helper()
	result := try(t, c, tool, a)
	if !result.IsError {
		t.Fatalf("%s %v succeeded: %s", tool, a, textOf(t, result))
	}
	if result.StructuredContent != nil {
		t.Errorf("%s: an error with structured content, which clients hold against the output schema", tool)
	}
	return textOf(t, result)
}

func textOf(t *testing.T, r *proto.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d pieces of content, not one", len(r.Content))
	}
	text, ok := r.Content[0].(proto.TextContent)
	if !ok {
		t.Fatalf("content is a %T", r.Content[0])
	}
	return text.Text
}

// contains fails unless text holds every part.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

// golden compares got with a file, or with -update writes it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (run with -update if that is meant); got:\n%s", path, got)
	}
}
