package cli

import (
	"github.com/spf13/cobra"

	"ctxledger.dev/cli/hooking"
)

// hookCommand is in the help; Main runs hooks before there are commands, so that no flag or argument is wrong.
func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   hooking.Name + " AGENT EVENT [SERVER]",
		Short: "Answer a hook of a coding agent, whose settings call this",
		Long: "Reads the JSON of one event of an agent's hooks from standard input, and prints what the agent expects or\n" +
			"nothing. The status is always 0, within a quarter of a second. The agent is claude-code.\n" +
			"SERVER is the installed MCP server of which the person lets the agent use the tools that only read.",
		Example: "  ctxledger hook claude-code SessionStart < event.json",
		Run:     func(*cobra.Command, []string) {},
	}
}
