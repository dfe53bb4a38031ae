// Package asking has an MCP server asked for its tools by a process of the program ctxmcp, so that the other programs do
// without the client of MCP and what that links.
//
// Start at Ask. Request and Reply are what goes to that process and comes back; package servertools is its other side.
// The process finds the server again and asks it only if it is byte for byte what was approved. It ends when its input
// does: when the person stops waiting, and when the caller ends, however it does.
//
// The package deliberately never starts an MCP server itself.
package asking
