// Package overhead holds the cost of a registered MCP server in every conversation, for clients of which nothing more is
// known: see registry.Client. It is a separate package so that the command line, which shows the figure, does not link the
// server and its libraries: a hook's process starts in half the time.
package overhead

// Tokens is the o200k_base size of the server's tool list and instructions, without a tool prefix.
// A test of package mcp compares it with what is sent: go test ./mcp -run Figures -update
const Tokens = 1268

// ReadBack is what a server that offers read_artifact alone takes of each request of Claude Code.
const ReadBack = 270

// Names is what remains of it in a request where a host loads the definitions of tools only when a model looks for them:
// the instructions, and the names of the tools as Claude Code has them.
const Names = 119
