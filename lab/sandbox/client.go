package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Client is an MCP client of a server that runs as a child process. It is safe for concurrent use.
type Client struct {
	mcp    *client.Client
	stderr *Tail
	PID    int // of the server
}

// Connect starts a ctxmcp in the workspace and connects to it as the named client.
func (s *Sandbox) Connect(ctx context.Context, name string, args ...string) (*Client, error) {
	return s.ConnectIn(ctx, s.Workspace, name, args...)
}

// ConnectIn is Connect with another working directory.
func (s *Sandbox) ConnectIn(ctx context.Context, dir, name string, args ...string) (*Client, error) {
	cmd := s.Server(args...)
	cmd.Dir = dir
	return Dial(ctx, name, cmd)
}

// Server returns a ctxmcp in the workspace that is not started yet: for those who speak to it themselves.
func (s *Sandbox) Server(args ...string) *exec.Cmd {
	cmd := exec.Command(s.program("ctxmcp"), args...)
	cmd.Dir, cmd.Env = s.Workspace, s.Env()
	return cmd
}

// Dial starts any MCP server and connects to it. ctx bounds the connecting, not the server's life.
func Dial(ctx context.Context, name string, cmd *exec.Cmd) (*Client, error) {
	c := &Client{stderr: &Tail{}}
	cmd.Stderr = c.stderr
	mc, err := client.NewStdioMCPClientWithOptions(cmd.Path, nil, nil,
		transport.WithCommandFunc(
			func(context.Context, string, []string, []string) (*exec.Cmd, error) { return cmd, nil }))
	if err != nil {
		return nil, err
	}
	c.mcp, c.PID = mc, cmd.Process.Pid
	var r mcp.InitializeRequest
	r.Params.ClientInfo = mcp.Implementation{Name: name, Version: "1"}
	if _, err := mc.Initialize(ctx, r); err != nil {
		_ = mc.Close() // err is what matters
		return nil, c.explain("initialize", err)
	}
	return c, nil
}

// Close ends the server by closing its standard input, and waits for it.
func (c *Client) Close() error { return c.mcp.Close() }

// ToolError is a tool's own answer that it could not do what was asked.
type ToolError struct{ Tool, Text string }

func (e *ToolError) Error() string { return e.Tool + ": " + e.Text }

// Call calls a tool and decodes its structured answer into result, which may be nil; only a server that was started with
// --structured gives one. It returns
// the text of the answer. A tool that answers with an error gives a *ToolError.
func (c *Client) Call(ctx context.Context, tool string, args map[string]any, result any) (string, error) {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = tool, args
	answer, err := c.mcp.CallTool(ctx, r)
	if err != nil {
		return "", c.explain(tool, err)
	}
	text := textOf(answer)
	if answer.IsError {
		return text, &ToolError{tool, text}
	}
	if result == nil {
		return text, nil
	}
	raw, err := json.Marshal(answer.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, result)
	}
	return text, err
}

// Names returns the names of the server's tools and prompts, as it lists them.
func (c *Client) Names(ctx context.Context) (tools, prompts []string, err error) {
	t, err := c.mcp.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, nil, c.explain("tools/list", err)
	}
	p, err := c.mcp.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return nil, nil, c.explain("prompts/list", err)
	}
	for _, x := range t.Tools {
		tools = append(tools, x.Name)
	}
	for _, x := range p.Prompts {
		prompts = append(prompts, x.Name)
	}
	return tools, prompts, nil
}

// Prompt returns the text of a prompt.
func (c *Client) Prompt(ctx context.Context, name string, arguments map[string]string) (string, error) {
	var r mcp.GetPromptRequest
	r.Params.Name, r.Params.Arguments = name, arguments
	answer, err := c.mcp.GetPrompt(ctx, r)
	if err != nil {
		return "", c.explain(name, err)
	}
	var parts []string
	for _, m := range answer.Messages {
		if t, ok := m.Content.(mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n"), nil
}

// explain adds what the server said on its standard error.
func (c *Client) explain(what string, err error) error {
	if said := c.stderr.String(); said != "" {
		return fmt.Errorf("%s: %w; the server said: %s", what, err, said)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// textOf joins the text of an answer.
func textOf(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// tailSize is how much a Tail keeps, in bytes.
const tailSize = 1 << 20

// Tail keeps the end of what a program writes. It is safe for concurrent use.
type Tail struct {
	mu   sync.Mutex
	kept []byte // guarded by mu
}

// Write implements io.Writer.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return len(p), nil
}

// String returns the end of what was written, without white space around it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
