// Package anyfile computes the token cost of a document of any kind: as a whole, of its sections and of a selection.
//
// Start at File. Each feature is a plain function of a File, in its own file. It works on bytes and sections and knows
// neither the editor's protocol nor the file system.
//
// Guarantees: a count is exact for the named part counted alone; in the whole document, tokens at its borders may merge.
// Estimates are marked ≈.
//
// The package deliberately has no state and no I/O.
package anyfile
