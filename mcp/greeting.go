package mcp

import (
	"context"
	"time"

	proto "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// greeting returns what fits the description of the server to its client. The capability of resources is left out if they would
// cost the client something in every request; to all others they cost nothing: a person picks them. Clients without hooks
// of ours get in the instructions what a hook would tell.
func (s *Server) greeting() *server.Hooks {
	greet := func(ctx context.Context, can *proto.ServerCapabilities, instructions *string) {
		if registry.ClientOf(clientName(ctx)).Resources > 0 {
			can.Resources = nil
		}
		if text := clientOf(ctx).beginning(ctx, clientName(ctx)); text != "" {
			*instructions += "\n\n" + text
		}
	}
	h := &server.Hooks{}
	h.AddAfterInitialize(func(ctx context.Context, _ any, _ *proto.InitializeRequest, told *proto.InitializeResult) {
		greet(ctx, &told.Capabilities, &told.Instructions)
	})
	h.AddAfterDiscover(func(ctx context.Context, _ any, _ *proto.DiscoverRequest, told *proto.DiscoverResult) {
		greet(ctx, &told.Capabilities, &told.Instructions)
	})
	return h
}

// opening is how long the ledger may take to open before a client is told something without it.
const opening = 300 * time.Millisecond

// beginning returns what a client is told when it starts, for its model: nothing if a hook tells it.
func (c *Client) beginning(ctx context.Context, name string) string {
	o, client := c.server.o, registry.ClientOf(name)
	if o.Given == nil || o.ReadBack || client.Hooked != nil && client.Hooked(o.Env, o.Root) {
		return ""
	}
	_, told := o.Given(o.Root)
	told.Facts = client.Tells
	ctx, cancel := context.WithTimeout(ctx, opening)
	defer cancel()
	var api ledger.MemoryStore
	if told.Memory && o.Root != "" {
		if opened, err := c.ledger.Get(ctx); err == nil {
			api = opened
		}
	}
	text, err := told.Text(ctx, o.Env, o.Root, api)
	if err != nil { // of the memories
		text, _ = told.Text(ctx, o.Env, o.Root, nil) // which reads no ledger
	}
	text = c.server.masks.String(clean(text))
	c.told.Store(int64(memory.Tokens(text)))
	return text
}
