// Package overhead says what having the MCP server registered costs every conversation.
//
// Start at Tokens. It is a package of its own so that the command line, which shows the figure,
// need not carry the server and its libraries along: a hook's process starts in half the time.
package overhead

// Tokens is the o200k_base size of the server's tool list and instructions, without a tool prefix.
// A test of package mcp holds it against what is sent.
const Tokens = 1434
