// Package mcp is ctxledger's face for agents: an MCP server, which answers one message at a time for any transport, and
// has one for standard input and output.
//
// Start at New and Server.Handle, which answers a message: envelope.go decides whether the MCP library gets it. Serve is
// the read loop in front of it. All that is known of a client is in its Client. A tool is a value of the table in tool.go,
// and a file of its own.
//
// Guarantees:
//   - The tool list is byte-stable, whatever is stored (design invariant 9), and costs at most 1,500 tokens (P8).
//   - A bad line, a bad argument, a panic in a tool or an unreachable ledger fails one request and never the server.
//   - Errors that an agent can correct are tool results that show the correct form; only protocol violations are
//     protocol errors.
//   - Stored text is returned as data with its control characters made visible; only read_artifact returns exact text.
//   - Requests in flight at the end of input are answered before the server ends.
//
// Requests of both protocol versions are served. No state of a client is anywhere but in its Client.
//
// The package deliberately computes nothing about conversations: it asks the ledger. It is the only package that
// imports the MCP library's server.
package mcp
