// Package servertools asks an MCP server for its tools: it starts the server, or connects to it, and ends it again.
//
// Start at Ask. It takes nothing but what package trust has approved, a command or an address that a person has seen, and
// starts nothing else. What the server answers is foreign and bounded: in time, in bytes, in tools and in depth. The
// server runs in a process group of its own, all of which is killed, whatever the outcome.
//
// Programs other than ctxmcp call package asking, which starts ctxmcp in the role of Main.
//
// The package keeps nothing: callers send an Answer to the ledger. It deliberately never calls a tool.
package servertools
