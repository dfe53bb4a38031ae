// Package hosting serves many workspaces to programs on other machines, over HTTP.
//
// Start at New and Server.Serve. Every request passes guard.go: where it comes from, whose token it bears, how much that one
// asks for. workspaces.go opens the ledger that the token is of, and nothing else: a handler behind the guard gets it from
// Server.Ledger, by the context of its request, so that it cannot name another one.
//
// Guarantees:
//   - Without a token nothing but /healthz answers, and a token reaches one workspace.
//   - What a program sends is bounded before it is read: in bytes, in time, in requests of its token and of all.
//   - Each refusal leaves a line in the log; no line has a token, or words of a conversation.
//   - A workspace is a ledger in the server's state directory: nothing reads a file of a conversation from this machine's disk.
//
// The package deliberately knows neither protocols nor operations: package mcp answers, and internal/wiring brings both
// together.
package hosting
