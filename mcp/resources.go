package mcp

import (
	"context"
	"net/url"
	"strings"

	proto "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// The addresses of resources.
const (
	uriChanges  = "ctxledger://changes"
	uriArtifact = "ctxledger://artifact/"
	uriMemory   = "ctxledger://memory/"
)

// addResources registers what a person can attach to a conversation by address. The list does not depend on what is
// stored: artifacts and memories are templates.
func (s *Server) addResources() {
	s.mcp.AddResource(proto.Resource{
		URI: uriChanges, Name: "changes", Description: "What happened to files, newest first", MIMEType: "text/plain",
	}, s.reader(func(ctx context.Context, c *call, _ string) (string, error) {
		r, err := changesOf(ctx, c, changesArgs{Limit: changesDefault})
		return r.String(), err
	}))
	s.addTemplate(uriArtifact, "{id}", "artifact", "What a handle names, from its start", readWhole)
	s.addTemplate(uriMemory, "{name}", "memory", "One memory", readMemory)
}

// resourceReader returns the text behind the last part of an address.
type resourceReader func(ctx context.Context, c *call, name string) (string, error)

func (s *Server) addTemplate(prefix, variable, name, description string, read resourceReader) {
	t := proto.NewResourceTemplate(prefix+variable, name, proto.WithTemplateDescription(description),
		proto.WithTemplateMIMEType("text/plain"))
	s.mcp.AddResourceTemplate(t, server.ResourceTemplateHandlerFunc(s.reader(read)))
}

// reader returns the MCP library's handler of a resource.
func (s *Server) reader(read resourceReader) server.ResourceHandlerFunc {
	return func(ctx context.Context, r proto.ReadResourceRequest) ([]proto.ResourceContents, error) {
		c, err := s.newCall(ctx)
		if err != nil {
			return nil, s.failure(err)
		}
		name, err := url.PathUnescape(r.Params.URI[strings.LastIndexByte(r.Params.URI, '/')+1:])
		if err != nil {
			return nil, s.failure(fault.Wrap(fault.Invalid, "mcp.resource", err))
		}
		text, err := read(ctx, c, name)
		if err != nil {
			return nil, s.failure(err)
		}
		return []proto.ResourceContents{proto.TextResourceContents{URI: r.Params.URI, MIMEType: "text/plain",
			Text: text}}, nil
	}
}

// readWhole returns a text exactly, or as much of it as read_artifact does and how to read on.
func readWhole(ctx context.Context, c *call, id string) (string, error) {
	a, err := c.readPage(ctx, ledger.ReadArtifactRequest{ID: id})
	if page, ok := a.value.(pageResult); ok && page.Next == nil {
		return page.Text, err
	}
	return a.text, err
}

func readMemory(ctx context.Context, c *call, name string) (string, error) {
	e, err := c.api.Memory(ctx, ledger.MemoryRequest{Name: name})
	if err != nil {
		return "", err
	}
	return memoryResult{Entries: []fact{whole(e)}}.text("get"), nil
}
