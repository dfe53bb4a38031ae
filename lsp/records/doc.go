// Package records is what the things of a ledger look like in an editor: the nodes of a tree, and documents to
// read.
//
// Start at Reader: Nodes lists what lies below a node, Text returns the document behind an Address, and Parse
// reads an address. Compacted, Restored and Forgotten say in a line what a command did.
//
// Guarantees: what is stored is data. Secrets are masked in all of it; characters that could drive or deceive a
// reader are shown as escapes; in a document of ours, stored words stand in fences that they cannot end. A
// list has at most pageSize nodes, whose ids are unique in the tree, and a document at most limits.MaskText
// bytes; what is cut says so, and how to get the rest.
//
// The package deliberately knows no protocol of editors and keeps nothing between calls.
package records
