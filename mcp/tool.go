package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	proto "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// tool is one tool, as a value: all that the list, the checks of its arguments, the documentation and the harnesses in lab
// need to know.
type tool struct {
	name        string // without the prefix
	description string // for models: each request pays for it
	does        string // for people, in a row of a table
	hints       hints
	input       string // JSON schema of the arguments: one flat object, see schema.go
	accepts     string // the properties of more arguments, which programs pass: the list for models lacks them
	// alias returns the name of an argument that programs spell otherwise; "": it is not known. nil: none is.
	alias  func(name string) string
	output string // JSON schema of the structured result, see Options.Structured
	// forms holds examples, as JSON, of arguments whose type alone does not show their form.
	forms map[string]string
	// longest is the number of characters of a result that the host should accept; 0: its own limit.
	longest int
	// secrets says what becomes of secrets in its answers, by a rule of lab/taint, and why.
	secrets, why string
	// calls are arguments, as JSON, of calls that show what is stored: the harnesses make each. SESSION is a session, and
	// HANDLE an artifact.
	calls []string
	// reads says of a tool that is not read-only whether these arguments only read. nil: none do.
	reads func(args json.RawMessage) bool
	run   runner
	// hidden tools can be called, and no list has them.
	hidden bool
}

// needs returns the least role that may make a call with these arguments.
func (t tool) needs(args json.RawMessage) access.Role {
	switch {
	case t.hints.readOnly || t.reads != nil && t.reads(args):
		return access.Read
	case t.hints.destructive:
		return access.Admin
	}
	return access.Write
}

// hints are a tool's annotations. The fourth, openWorld, is always false: no tool reaches out of the workspace,
// except for the summarizer that the user has configured.
type hints struct {
	readOnly, destructive, idempotent bool
}

// call is one request to a tool.
type call struct {
	*Server
	*Client
	api    opened
	args   json.RawMessage       // checked against the input schema; its bytes are as received
	client string                // self-reported name of the client; never ""
	chat   ledger.SessionRequest // the session that the host says the call belongs to
}

// newCall returns a call without arguments. Errors: those of opening the ledger.
func (s *Server) newCall(ctx context.Context) (*call, error) {
	c := clientOf(ctx)
	api, err := c.ledger.Get(ctx)
	return &call{Server: s, Client: c, api: api, client: clientName(ctx)}, err
}

// reply is the answer of a tool: the value of its output schema, and text for a model. Without text, the text is
// the value's JSON.
type reply struct {
	value any
	text  string
}

// said returns the text of an answer.
func (r reply) said() string {
	if r.text == "" {
		return plainJSON(r.value)
	}
	return r.text
}

// tools returns all tools in the order of the documentation; the MCP library lists them by name. A new one is a name here
// and a file of its own.
func tools() []tool {
	return []tool{compactTool(), memoryTool(), readTool(), statusTool(), changesTool()}
}

// Tool is what the harnesses in lab, which have a row for each tool, know of one.
type Tool struct {
	Name         string // without a prefix
	Secrets, Why string // what becomes of secrets in its answers: masked, exact or silent; where, or why
	// Calls are arguments as JSON, in which SESSION and HANDLE are to be replaced.
	Calls []string
}

// Tools returns every tool, those of Options.AgentTools and Options.GraphTools included.
func Tools() (all []Tool) {
	for _, t := range slices.Concat(tools(), agentTools(), graphTools()) {
		if t.hidden {
			continue
		}
		all = append(all, Tool{t.name, t.secrets, t.why, t.calls})
	}
	return all
}

// runner runs a tool.
type runner func(ctx context.Context, c *call) (reply, error)

// takes makes the function of a tool from one that takes its arguments.
func takes[T any](run func(ctx context.Context, c *call, a T) (reply, error)) runner {
	return func(ctx context.Context, c *call) (reply, error) {
		var a T
		if err := json.Unmarshal(c.args, &a); err != nil {
			return reply{}, fault.Wrap(fault.Invalid, "mcp.arguments", err)
		}
		return run(ctx, c, a)
	}
}

// describe returns a tool as it appears in the tool list.
func (s *Server) describe(t tool) proto.Tool {
	no := false
	var meta *proto.Meta
	if t.longest > 0 {
		meta = proto.NewMetaFromMap(map[string]any{"anthropic/maxResultSizeChars": t.longest})
	}
	var output json.RawMessage
	if s.o.Structured {
		output = json.RawMessage(t.output)
	}
	return proto.Tool{
		Meta: meta, Name: s.o.ToolPrefix + t.name, Description: t.description,
		RawInputSchema: json.RawMessage(t.input), RawOutputSchema: output,
		Annotations: proto.ToolAnnotation{
			ReadOnlyHint: &t.hints.readOnly, DestructiveHint: &t.hints.destructive,
			IdempotentHint: &t.hints.idempotent, OpenWorldHint: &no,
		},
	}
}

// toOwner is why the answers of some tools are exact.
const toOwner = "back to the agent that owns the workspace"

// handler returns the MCP library's handler of a tool. Errors of the tool are results that the model can read.
func (s *Server) handler(t tool, sc schema) server.ToolHandlerFunc {
	return func(ctx context.Context, r proto.CallToolRequest) (*proto.CallToolResult, error) {
		answer, err := guarded("tool "+t.name, func() (reply, error) {
			return s.perform(ctx, t, sc, argumentsOf(ctx), chat(r.Params.Meta))
		})
		if err != nil {
			return proto.NewToolResultError(s.explain(err)), nil
		}
		return s.result(answer), nil
	}
}

// perform runs a tool for a client. chat is the session that its host says the call belongs to.
func (s *Server) perform(ctx context.Context, t tool, sc schema, raw json.RawMessage,
	chat ledger.SessionRequest) (reply, error) {
	args, err := sc.check(s.o.ToolPrefix+t.name, raw)
	if err != nil {
		return reply{}, err
	}
	if s.o.Permit != nil {
		if err := s.o.Permit(ctx, t.name, t.needs(args)); err != nil {
			return reply{}, err
		}
	}
	busy := clientOf(ctx).busy
	if !enter(ctx, busy) {
		return reply{}, fault.Wrap(fault.Unavailable, "mcp.call", ctx.Err())
	}
	defer func() { <-busy }()
	c, err := s.newCall(ctx)
	if err != nil {
		return reply{}, err
	}
	c.args, c.chat = args, chat
	answer, err := t.run(ctx, c)
	if err != nil {
		return answer, err
	}
	return c.whole(ctx, answer)
}

// result converts an answer to the protocol's form.
func (s *Server) result(r reply) *proto.CallToolResult {
	if s.o.Structured {
		return proto.NewToolResultStructured(r.value, r.said())
	}
	return proto.NewToolResultText(r.said())
}

// clientName returns the client's own name, in one line: the MCP library keeps what it says with any message.
func clientName(ctx context.Context) string {
	return cmp.Or(oneLine(clientOf(ctx).session.GetClientInfo().Name, 60), "mcp")
}
