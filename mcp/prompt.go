package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/given"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
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

// memoryPrompt gives a chat what earlier ones noted.
var memoryPrompt = prompt{
	name: "memory", description: "What earlier sessions noted: the facts that fit the task best, with their bodies",
	arguments: []promptArgument{{"task", "words of the task; default: all facts, grouped by type"}},
	write:     asUser("task", recalledFacts),
}

// recalledFacts returns the block of memories for a task.
func recalledFacts(ctx context.Context, c *call, task string) (string, error) {
	page, err := c.api.Memories(ctx, ledger.MemoriesRequest{Body: true, Limit: listMost})
	if err != nil {
		return "", err
	}
	var parts []string
	for _, n := range page.Notes {
		parts = append(parts, "Note: "+inline(n))
	}
	block := memory.Block(memory.Ordered(page.Entries, task), memory.BlockChars, memory.Chars)
	if block == "" {
		block = "No facts here yet: the " + c.o.ToolPrefix + "memory tool saves one."
	}
	masked, err := c.api.Mask(ctx, ledger.MaskRequest{Text: clean(block)})
	return strings.TrimSpace(strings.Join(append(parts, masked.Text), "\n\n")), err
}

// contextPrompt gives an agent what the configuration declares for it.
var contextPrompt = prompt{
	name: "context", description: "What an agent is given when it starts, from the sources that ctxledger.yaml declares for it",
	arguments: []promptArgument{{"agent", "its name in ctxledger.yaml, or its host's"},
		{"session", "of the agents; default: this chat"}, {"task", "default: the first request"}},
	write: func(ctx context.Context, c *call, args map[string]string) ([]given.Message, error) {
		if args["agent"] == "" {
			return nil, fault.New(fault.Invalid, "mcp.context",
				"argument agent is missing: name an agent of ctxledger.yaml")
		}
		s, err := c.session(ctx, args["session"])
		if err != nil {
			return nil, err
		}
		r, err := c.givenRequest(ctx, s, args["agent"], args["task"])
		if err != nil {
			return nil, err
		}
		out, err := given.Assemble(ctx, c.api, r)
		return out.Messages, err
	},
}

// environmentPrompt tells where the agents run.
var environmentPrompt = prompt{
	name: "environment", description: "Where this chat runs: the system, the directory, the time, and what git ignores",
	write: func(ctx context.Context, c *call, _ map[string]string) ([]given.Message, error) {
		root, err := c.tree(ctx)
		if err != nil {
			return nil, err
		}
		text := given.Environment(c.o.Env, root)
		if root != "" {
			text += "\n\n" + given.IgnoredWhole(root)
		}
		masked, err := c.api.Mask(ctx, ledger.MaskRequest{Text: strings.TrimSpace(text)})
		return []given.Message{{Role: transcript.RoleUser, Text: masked.Text}}, err
	},
}
