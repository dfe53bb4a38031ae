// Package records shows the content of a ledger in an editor: as the nodes of a tree and as documents.
//
// Start at Reader: Nodes lists the children of a node, Text returns the document at an Address, and Parse parses an
// address. Compacted, Restored and Forgotten describe the result of a command in one line.
//
// Guarantees: stored text is data. Its secrets are masked, deceptive and control characters are escaped, and documents
// put it into fences that it cannot end. A list has at most pageSize nodes, whose ids are unique in the tree. A document
// has at most limits.MaskText bytes; where it is cut, it names the command that prints all of it.
//
// The package deliberately knows no editor protocol and keeps no state between calls.
package records
