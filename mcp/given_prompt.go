package mcp

import (
	"context"
	"strings"

	"ctxledger.dev/given"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/transcript"
)

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
			text += "\n\n" + given.Ignored(root, func(block string) bool { return memory.Tokens(block) <= maxIgnored })
		}
		masked, err := c.api.Mask(ctx, ledger.MaskRequest{Text: strings.TrimSpace(text)})
		return []given.Message{{Role: transcript.RoleUser, Text: masked.Text}}, err
	},
}

// maxIgnored is how much of a .gitignore is told, in tokens.
const maxIgnored = 1_000
