// Package mcp is the face of ctxledger for agents: an MCP server over standard input and output.
//
// Start at New and Serve. A tool is a value (tool.go) with its name, description, annotations,
// schemas and function, one file a tool; server.go puts them together with the prompt and the
// resources; stdio.go and framer.go stand between the client and the MCP library.
//
// Guarantees: the tool list is the same bytes always, whatever is stored (design invariant 9), and
// costs at most 1,500 tokens (P8); a bad line, a bad argument, a panic in a tool or a ledger that
// cannot be reached answers one request and ends nothing; what an agent can mend is a tool result
// with the right form in it, and only faults of the protocol are protocol errors; stored text comes
// back as data, with its control characters made visible, but for what read_artifact reads, which is
// exact; requests under way are answered before the end of input ends the server.
//
// Both protocol eras are served, request by request, and no state is kept between requests.
//
// The package deliberately computes nothing about conversations: it asks the engine. It is the only
// one that knows the MCP library. One process serves one client on standard input, because the
// library keeps that session in a package variable.
package mcp
