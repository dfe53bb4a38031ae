// Package outline finds the sections of a document: what a reader would fold or jump to.
//
// Start at Of. Markdown has the sections of its headings, Go the declarations that its own parser finds,
// everything else the blocks that its indentation shows.
//
// Guarantees: sections come in the order in which they start, each inside the one that it belongs to and
// none across another's end; a document that its language's parser refuses has the sections that could be
// read; there are at most Most. Whatever the bytes, the time grows with their number.
//
// The package deliberately counts nothing and knows no editor.
package outline
