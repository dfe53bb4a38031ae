package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/given"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/transcript"
)

// prompt is a text that a person requests from a client: hosts offer prompts as commands, so they cost a chat
// nothing until then.
type prompt struct {
	name, description string
	arguments         []promptArgument // all optional for the protocol
	write             func(ctx context.Context, c *call, arguments map[string]string) ([]given.Message, error)
}

// promptArgument is an argument of a prompt, and what it is.
type promptArgument struct{ name, meaning string }

// prompts are all there are.
var prompts = []prompt{resumePrompt, memoryPrompt, contextPrompt, environmentPrompt}

// asUser returns the function of a prompt that is one message of the user, made from one argument.
func asUser(argument string, write func(ctx context.Context, c *call, argument string) (string, error)) func(
	ctx context.Context, c *call, arguments map[string]string) ([]given.Message, error) {
	return func(ctx context.Context, c *call, arguments map[string]string) ([]given.Message, error) {
		text, err := write(ctx, c, arguments[argument])
		return []given.Message{{Role: transcript.RoleUser, Text: text}}, err
	}
}

// addPrompt registers a prompt.
func (s *Server) addPrompt(p prompt) {
	arguments := make([]proto.PromptArgument, len(p.arguments))
	for i, a := range p.arguments {
		arguments[i] = proto.PromptArgument{Name: a.name, Description: a.meaning}
	}
	s.mcp.AddPrompt(proto.Prompt{Name: p.name, Description: p.description, Arguments: arguments},
		func(ctx context.Context, r proto.GetPromptRequest) (*proto.GetPromptResult, error) {
			messages, err := s.written(ctx, p, r.Params.Arguments)
			if err != nil {
				return nil, s.failure(err)
			}
			out := &proto.GetPromptResult{Description: p.description, Messages: []proto.PromptMessage{}}
			for _, m := range messages {
				out.Messages = append(out.Messages,
					proto.PromptMessage{Role: proto.Role(m.Role), Content: proto.NewTextContent(m.Text)})
			}
			return out, nil
		})
}

// written returns the messages of a prompt.
func (s *Server) written(ctx context.Context, p prompt, arguments map[string]string) ([]given.Message, error) {
	var known []string
	for _, a := range p.arguments {
		known = append(known, a.name)
	}
	for name := range arguments {
		if !slices.Contains(known, name) {
			return nil, fault.New(fault.Invalid, "mcp."+p.name, "unknown argument %.1000q; known: %s",
				clean(name), cmp.Or(strings.Join(known, ", "), "none"))
		}
	}
	c, err := s.newCall(ctx)
	if err != nil {
		return nil, err
	}
	return p.write(ctx, c, arguments)
}
