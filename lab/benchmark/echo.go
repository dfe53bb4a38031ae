package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// echoFlag makes this program the server to compare with.
const echoFlag = "-echo"

// serveEcho serves one tool that returns the requested number of bytes of text in the shape of
// read_artifact: as text, and structured. It is the lower bound for an MCP server of this library and an
// answer of that size. With overHTTP it says its address on standard output.
func serveEcho(overHTTP bool) {
	text := string(sample(readPage))
	s := server.NewMCPServer("echo", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithString("bytes")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var from, to int
		if _, err := fmt.Sscanf(r.GetString("bytes", ""), "%d-%d", &from, &to); err != nil || to < from || to-from >= len(text) {
			return mcp.NewToolResultError("bytes=FROM-TO"), nil
		}
		part := text[:to-from+1]
		return mcp.NewToolResultStructured(map[string]any{"text": part}, part), nil
	})
	if overHTTP {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			os.Exit(1)
		}
		fmt.Printf("http://%s/mcp\n", l.Addr())
		h := &http.Server{Handler: server.NewStreamableHTTPServer(s, server.WithStateLess(true))}
		if h.Serve(l) != nil {
			os.Exit(1)
		}
	}
	if err := server.ServeStdio(s); err != nil {
		os.Exit(1)
	}
}

// sample returns n bytes of lines of text.
func sample(n int) []byte {
	const line = "the quick brown fox jumps over the lazy dog; 0123456789 ABCDEFG\n"
	out := make([]byte, 0, n+len(line))
	for len(out) < n {
		out = append(out, line...)
	}
	return out[:n]
}
