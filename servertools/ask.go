package servertools

import (
	"context"
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/ledger"
	"ctxledger.dev/servertools/asking"
	"ctxledger.dev/tokens"
	"ctxledger.dev/trust"
)

// Bounds of what a server may do.
const (
	maxTime  = 30 * time.Second // from its start to its last answer
	maxBytes = 8 << 20          // of all that it writes
	maxPages = 100              // of its list of tools
	maxDepth = 64               // of its JSON: schemas are shallow
)

// Ask starts an approved server, or connects to it, asks for its tools, and ends it. Errors: denied when it is not what
// was approved; unavailable when it fails or does not answer in time, with the end of what it says, masked by mask;
// limited when it answers too much; invalid when it does not answer as an MCP server does.
func Ask(ctx context.Context, approved trust.ApprovedServer, mask func(string) string) (asking.Answer, error) {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	return ask(ctx, approved, mask)
}

// ask does, and takes the time that its context has.
func ask(ctx context.Context, approved trust.ApprovedServer, mask func(string) string) (asking.Answer, error) {
	c, err := connect(ctx, approved)
	if err != nil {
		return asking.Answer{}, err
	}
	defer c.close()
	a, err := list(ctx, c.transport)
	if err == nil {
		return a, nil
	}
	late := ctx.Err()
	c.close()
	switch {
	case c.budget.spent():
		err = fault.New(fault.Limited, op, "the server answered with more than %d MiB", maxBytes>>20)
	case errors.Is(late, context.DeadlineExceeded):
		err = fault.New(fault.Unavailable, op, "the server did not answer within %s", maxTime)
	case late != nil:
		err = fault.Wrap(fault.Unavailable, op, late)
	case errors.Is(err, transport.ErrTransportClosed):
		err = fault.New(fault.Unavailable, op, "the server exited without answering%s", quoted(mask(c.said())))
	default:
		if _, ours := errors.AsType[*fault.Error](err); !ours {
			err = fault.New(fault.Unavailable, op, "the server did not answer%s", quoted(mask(err.Error())))
		}
	}
	return asking.Answer{}, err
}

const op = "servertools.ask"

// quoted is the end of a foreign text behind a colon, in a line; "" for none.
func quoted(s string) string {
	if s = chars.Short(chars.Line(chars.Strip(chars.Tail(s, 2_000))), 300); s == "" {
		return ""
	}
	return ": " + s
}

// list asks for all tools.
func list(ctx context.Context, t transport.Interface) (a asking.Answer, err error) {
	//lint:ignore SA1019 most servers speak nothing newer, and a probe for it would be one more request to hostile ones
	c := client.NewClient(t, client.WithLegacyProtocolOnly())
	if err := c.Start(ctx); err != nil {
		return a, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "ctxledger", Version: "1"}
	said, err := c.Initialize(ctx, hello)
	if err != nil {
		return a, err
	}
	a.Instructions = tokens.O200kBase.CountString(said.Instructions)
	if said.Capabilities.Tools == nil {
		return a, nil
	}
	cursors := map[string]bool{}
	for cursor := ""; ; {
		p, err := onePage(ctx, t, len(cursors), cursor)
		if err != nil {
			return a, err
		}
		for _, raw := range p.Tools {
			tool, err := sizeOf(raw)
			if err != nil {
				return a, err
			}
			if a.Tools = append(a.Tools, tool); len(a.Tools) > ledger.MaxServerTools {
				return a, fault.New(fault.Limited, op, "the server has more than %d tools", ledger.MaxServerTools)
			}
		}
		if cursor = p.NextCursor; cursor == "" {
			return a, nil
		}
		if cursors[cursor] || len(cursors) >= maxPages {
			return a, fault.New(fault.Limited, op, "the server's list of tools does not end")
		}
		cursors[cursor] = true
	}
}

// page is one page of the list of tools.
type page struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor string            `json:"nextCursor"`
}

// onePage asks for a page, as the server writes it: a typed one would lose a part of the schemas.
func onePage(ctx context.Context, t transport.Interface, n int, cursor string) (p page, err error) {
	params := map[string]string{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	got, err := t.SendRequest(ctx, transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION,
		ID: mcp.NewRequestId(int64(1_000 + n)), Method: string(mcp.MethodToolsList), Params: params})
	switch {
	case err != nil:
		return p, err
	case got.Error != nil:
		return p, got.Error.AsError()
	}
	if _, err := jsonspan.Whole(got.Result, maxDepth); err != nil {
		return p, fault.New(fault.Invalid, op, "the server's list of tools is not JSON, or nested deeper than "+
			"%d", maxDepth)
	}
	if json.Unmarshal(got.Result, &p) != nil {
		return p, fault.New(fault.Invalid, op, "the server did not answer with a list of tools")
	}
	return p, nil
}

// definition is a tool as it is sent to models: titles, annotations and output schemas are not.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

// sizeOf returns a tool with the size of its definition.
func sizeOf(raw json.RawMessage) (ledger.AskedTool, error) {
	var tool struct {
		definition
		Schema json.RawMessage `json:"inputSchema"`
	}
	if json.Unmarshal(raw, &tool) != nil || tool.Name == "" {
		return ledger.AskedTool{}, fault.New(fault.Invalid, op, "the server names an invalid tool")
	}
	tool.InputSchema = tool.Schema
	name := tool.Name
	for len(name) > ledger.MaxToolName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	n := tokens.O200kBase.CountString(string(registry.JSON(tool.definition))) // as it is sent
	return ledger.AskedTool{Name: name, Tokens: n}, nil
}
