package mcp

import (
	"context"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/internal/fault"
)

// prompt is a text that a person requests from a client: hosts offer prompts as commands, so they cost a chat
// nothing until then.
type prompt struct {
	name, description string
	argument, meaning string // its one optional argument, and what that is
	write             func(ctx context.Context, c *call, argument string) (string, error)
}

// prompts are all there are.
var prompts = []prompt{resumePrompt, memoryPrompt}

// addPrompt registers a prompt.
func (s *Server) addPrompt(p prompt) {
	s.mcp.AddPrompt(proto.Prompt{
		Name:        p.name,
		Description: p.description,
		Arguments:   []proto.PromptArgument{{Name: p.argument, Description: p.meaning}},
	}, func(ctx context.Context, r proto.GetPromptRequest) (*proto.GetPromptResult, error) {
		text, err := s.written(ctx, p, r.Params.Arguments)
		if err != nil {
			return nil, s.failure(err)
		}
		return &proto.GetPromptResult{
			Description: p.description,
			Messages:    []proto.PromptMessage{{Role: proto.RoleUser, Content: proto.NewTextContent(text)}},
		}, nil
	})
}

// written returns the text of a prompt.
func (s *Server) written(ctx context.Context, p prompt, arguments map[string]string) (string, error) {
	for name := range arguments {
		if name != p.argument {
			return "", fault.New(fault.Invalid, "mcp."+p.name, "unknown argument %.1000q; known: %s",
				clean(name), p.argument)
		}
	}
	c, err := s.newCall(ctx)
	if err != nil {
		return "", err
	}
	return p.write(ctx, c, arguments[p.argument])
}
