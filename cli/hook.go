package cli

import (
	"context"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/cli/hooking"
)

// hookCommand is in the help; Main runs hooks before there are commands, so that no flag or argument is wrong.
func hookCommand() command {
	return command{
		name: hooking.Name, args: "AGENT EVENT [SERVER]", rank: hidden,
		short: "Answer a coding agent's hook (called from the agent's settings)",
		long: "Reads the JSON of one event of an agent's hooks from standard input, and prints what the agent " +
			"expects, or nothing. It always exits with 0 within a quarter of a second. AGENT is " +
			strings.Join(registry.Names(hooked), " or ") + ". SERVER is the installed MCP server whose " +
			"read-only tools the user lets the agent use.",
		example: "ctxledger hook claude-code SessionStart < event.json",
		does:    keeps, undo: "it records",
		run: func(context.Context, *action, []string) error { return nil },
	}
}

// hooked reports whether the hooks of an agent are answered.
func hooked(a registry.Agent) bool { return a.Hooks != nil }
