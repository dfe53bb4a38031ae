package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	proto "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxledger.dev/engine"
)

// BenchmarkOneMiB is a text of 1 MiB as the answer of a tool over standard input and output: of our server, and of one of the
// MCP library that only returns it.
func BenchmarkOneMiB(b *testing.B) {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog; 0123456789 ABCDEFG\n", 1<<14)
	ours := func(b *testing.B, structured bool) func(ctx context.Context, in io.Reader, out io.Writer) error {
		local, err := engine.Open(b.Context(), engine.Options{State: b.TempDir(), Workspace: shopRoot, Env: testEnv()})
		if err != nil {
			b.Fatal(err)
		}
		s, err := New(func(context.Context, []string) (Ledger, string, error) { return local, "", nil },
			Options{Env: testEnv(), Structured: structured})
		if err != nil {
			b.Fatal(err)
		}
		t := tool{name: "echo", input: `{"type":"object"}`, output: `{"type":"object"}`,
			run: func(context.Context, *call) (reply, error) { return reply{pageResult{Text: text}, text}, nil }}
		s.mcp.AddTool(s.describe(t), s.handler(t, schema{}))
		return s.Serve
	}
	bare := func(structured bool) func(ctx context.Context, in io.Reader, out io.Writer) error {
		s := server.NewMCPServer("echo", "1", server.WithToolCapabilities(false))
		s.AddTool(proto.NewTool("echo"), func(context.Context, proto.CallToolRequest) (*proto.CallToolResult, error) {
			if structured {
				return proto.NewToolResultStructured(map[string]any{"text": text}, text), nil
			}
			return proto.NewToolResultText(text), nil
		})
		return server.NewStdioServer(s).Listen
	}
	for name, serve := range map[string]func(context.Context, io.Reader, io.Writer) error{
		"text/ours": ours(b, false), "text/library": bare(false),
		"structured/ours": ours(b, true), "structured/library": bare(true),
	} {
		b.Run(name, func(b *testing.B) { roundTrips(b, serve) })
	}
}

// BenchmarkHandedIn compacts conversations of 200 messages that are handed in whole, each a new one, as a hosting server does.
func BenchmarkHandedIn(b *testing.B) {
	local, err := engine.Open(b.Context(), engine.Options{State: b.TempDir(), Workspace: shopRoot, Env: testEnv()})
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(func(context.Context, []string) (Ledger, string, error) { return local, "", nil },
		Options{Env: testEnv(), Structured: true})
	if err != nil {
		b.Fatal(err)
	}
	client := s.Connect(nil)
	defer client.Close() // the ledger is temporary
	ctx := client.Context(b.Context())
	for n := 0; b.Loop(); n++ {
		messages := talk(50)
		messages[0] = json.RawMessage(fmt.Sprintf(`{"role":"user","content":"conversation %d"}`, n))
		raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": "compact_conversation",
				"arguments": map[string]any{"messages": messages, "return": "messages"}}})
		if err != nil {
			b.Fatal(err)
		}
		if got := s.Handle(ctx, raw); !bytes.Contains(got, []byte(`"status":"compacted"`)) {
			b.Fatalf("%.2000s", got)
		}
	}
}

// roundTrips measures calls of the tool echo.
func roundTrips(b *testing.B, serve func(context.Context, io.Reader, io.Writer) error) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- serve(b.Context(), fromClient, toClient) }()
	in := bufio.NewReaderSize(fromServer, 4<<20)
	for b.Loop() {
		_, err := io.WriteString(toServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`+"\n")
		if err != nil {
			b.Fatal(err)
		}
		line, err := in.ReadSlice('\n')
		if err != nil || len(line) < 1<<20 {
			b.Fatal(err, len(line))
		}
	}
	_ = toServer.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
