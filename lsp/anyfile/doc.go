// Package anyfile says what a document of any kind costs a model: as a whole, its sections, a selection.
//
// Start at File. Each feature is a plain function of it in a file of its own; it knows bytes and
// sections, and neither the editor's protocol nor where the file lies.
//
// Guarantees: a count is exact for the part it names, counted alone: in the whole, the tokens at its borders
// may fall together otherwise. What is no exact count is marked ≈.
//
// The package deliberately holds nothing and asks nobody.
package anyfile
