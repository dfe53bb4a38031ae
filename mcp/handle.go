package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/termtext"
)

// Handle answers one JSON-RPC message; nil: it gets no answer, as a notification. It comes from the client whose
// Context ctx is. Without one nothing is known of its sender but what it says itself, which suffices in the newer
// protocol. Handle is safe for concurrent use; an answer has no line end.
func (s *Server) Handle(ctx context.Context, message []byte) []byte {
	c := clientOf(ctx)
	if c == nil {
		c = s.visitor(nil)
		defer func() { _ = c.Close() }() // what was answered stays
		ctx = c.Context(ctx)
	}
	m, refused := c.accept(input{line: message})
	if m.line == nil {
		return refused
	}
	return c.answer(ctx, m)
}

// accept takes a message that the MCP library is to answer. Of any other the returned one has no line, and what is answered
// instead is returned, if anything.
func (c *Client) accept(in input) (m message, refused []byte) {
	switch {
	case in.long != nil:
		return message{}, c.server.refuse(tooLarge(in.long))
	case in.err != nil && len(in.line) == 0:
		return message{}, nil
	}
	m, wrong := check(in.line)
	switch {
	case m.answer && c.hear(in.line):
		return message{}, nil
	case wrong != nil && wrong.code == 0:
		c.server.o.Log.Debug("line dropped", "method", m.method)
		return message{}, nil
	case wrong != nil:
		return message{}, c.server.refuse(*wrong)
	case m.id != nil && !c.begin(m.id):
		return message{}, c.server.refuse(refusal{code: codeRequest,
			text: "the id belongs to a request that is not answered yet"})
	}
	m.line = in.line
	return m, nil
}

// answer has the MCP library answer an accepted message.
func (c *Client) answer(ctx context.Context, m message) []byte {
	ctx, line := m.withoutArguments(ctx)
	got, err := guarded("message "+m.method, func() (proto.JSONRPCMessage, error) {
		return c.server.mcp.HandleMessage(ctx, line), nil
	})
	c.forward()
	why := ""
	if err != nil {
		why = c.server.explain(err) // and logs it
	}
	if m.id == nil {
		return nil
	}
	c.end(m.id)
	if err != nil {
		return c.server.refuse(refusal{m.id, codeInternal, why})
	}
	return c.server.encode(m.id, got)
}

// withoutArguments returns the line of a message, for a tool without its arguments, which the returned context has: they may
// be a whole conversation, which the MCP library would decode four times and pass on as it is.
func (m message) withoutArguments(ctx context.Context) (context.Context, []byte) {
	if m.method != string(proto.MethodToolsCall) || m.params == nil {
		return ctx, m.line
	}
	line := []byte(`{"jsonrpc":"2.0","method":"tools/call"`)
	if m.id != nil {
		line = append(append(line, `,"id":`...), m.id...)
	}
	line = append(line, `,"params":{`...)
	fields, _ := object(m.params, nil) // checked
	for name, value := range fields {
		if name != "arguments" {
			line = append(append(append(line, plainJSON(name)...), ':'), value...)
			line = append(line, ',')
		}
	}
	line = append(bytes.TrimSuffix(line, []byte(",")), "}}"...)
	return context.WithValue(ctx, argumentsKey{}, fields["arguments"]), line
}

type argumentsKey struct{}

// argumentsOf returns the arguments of the call of a tool, as received; nil: there are none.
func argumentsOf(ctx context.Context) json.RawMessage {
	arguments, _ := ctx.Value(argumentsKey{}).(json.RawMessage)
	return arguments
}

// encode returns the line of an answer. The MCP library's encoder of a tool's result reads and copies it twice more: with a
// text of 1 MiB its own echo takes three times as long as our answer, and three times the memory (BenchmarkOneMiB).
func (s *Server) encode(id json.RawMessage, answer proto.JSONRPCMessage) []byte {
	line := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result,omitempty"`
		Error   json.RawMessage `json:"error,omitempty"`
	}{JSONRPC: proto.JSONRPC_VERSION, ID: id}
	switch a := answer.(type) {
	case proto.JSONRPCResponse:
		line.Result = a.Result
		if r, ok := a.Result.(*proto.CallToolResult); ok {
			line.Result = toolResult{r.Meta, r.Content, r.IsError, r.ResultType, r.StructuredContent}
		}
	case proto.JSONRPCError:
		a.Error.Message = harmless(a.Error.Message)
		line.Error = s.masks.Bytes([]byte(plainJSON(a.Error))) // the library quotes unknown names
	}
	raw, err := json.Marshal(line)
	if err != nil {
		return s.refuse(refusal{id, codeInternal, s.explain(err)})
	}
	return raw
}

// toolResult is what our tools use of the MCP library's result, in its order.
type toolResult struct {
	Meta       *proto.Meta      `json:"_meta,omitempty"`
	Content    []proto.Content  `json:"content"`
	IsError    bool             `json:"isError,omitempty"`
	ResultType proto.ResultType `json:"resultType,omitempty"`
	Structured any              `json:"structuredContent,omitempty"`
}

// refuse returns the answer to a message that the MCP library does not get.
func (s *Server) refuse(r refusal) []byte {
	s.o.Log.Warn("line refused", "code", r.code, "why", r.text)
	id := string(r.id)
	if id == "" {
		id = "null"
	}
	text := plainJSON(termtext.Clip(chars.ShortQuotes(s.masks.String(r.text)), termtext.ResultMax))
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, r.code, text)
}

// maxForeign bounds an error of the MCP library, in characters.
const maxForeign = 400

// harmless makes an error of the MCP library safe to show: the library quotes names and addresses unchanged, so its message
// becomes one short line without hidden characters. What explain made stays.
func harmless(text string) string {
	if ours, ok := strings.CutPrefix(text, explained); ok {
		return ours
	}
	return chars.Short(inline(text), maxForeign)
}
