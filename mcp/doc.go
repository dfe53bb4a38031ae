// Package mcp is ctxledger's face for agents: an MCP server over standard input and output.
//
// Start at New and Serve. A tool is a value (tool.go) with its name, description, annotations, schemas and handler,
// one file per tool; server.go registers them with the prompt and the resources; framer.go and wire.go sit between
// the client and the MCP library.
//
// Guarantees:
//   - The tool list is byte-stable, whatever is stored (design invariant 9), and costs at most 1,500 tokens (P8).
//   - A bad line, a bad argument, a panic in a tool or an unreachable ledger fails one request and never the server.
//   - Errors that an agent can correct are tool results that show the correct form; only protocol violations are
//     protocol errors.
//   - Stored text is returned as data with its control characters made visible; only read_artifact returns exact text.
//   - Requests in flight at the end of input are answered before the server ends.
//
// Requests of both protocol versions are served, and no state is kept between requests.
//
// The package deliberately computes nothing about conversations: it asks the ledger. It is the only package that
// imports the MCP library's server. One process serves one client on standard input, because the library keeps that session
// in a package variable.
package mcp
