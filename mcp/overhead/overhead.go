// Package overhead holds the cost of a registered MCP server in every conversation.
//
// Start at Named. It is a separate package so that the command line, which shows the figure, does not link the server
// and its libraries: a hook's process starts in half the time.
package overhead

// Tokens is the o200k_base size of the server's tool list and instructions, without a tool prefix.
// A test of package mcp compares it with what is sent: go test ./mcp -run Figures -update
const Tokens = 1276

// Names is what remains of it in a request where a host loads the definitions of tools only when a model looks for them:
// the instructions, and the names of the tools as Claude Code has them.
const Names = 119

// Client is an MCP client whose requests to its model were looked at: lab/agentmatrix compares the real ones with this.
type Client struct {
	Name   string // that it gives itself
	Host   string // as sessions name it
	Tokens int    // of our tools, as it lists them, and of our instructions in each request
	// Resources is what it would add to each request for a server that offers resources, in tokens: tools of its own that
	// list and read them. Where it is not 0, resources are not offered: the tools tell the same.
	Resources int
}

// clients are those that are known.
var clients = []Client{
	{"claude-code", "claude-code", 1160, 467}, // unless it searches for tools
	{"codex-mcp-client", "codex", 1186, 0},    // it lists such tools, whatever a server offers
	{"gemini-cli-mcp-client", "gemini", 1431, 221},
	{"opencode", "opencode", 1196, 279},
}

// Named returns the client of a name, or of a host. Of another one nothing is known but our own list.
func Named(name string) (c Client, known bool) {
	for _, c := range clients {
		if name == c.Name || name == c.Host {
			return c, true
		}
	}
	return Client{Name: name, Host: name, Tokens: Tokens}, false
}
