// Package outline finds the sections of a document: what a reader would fold or jump to.
//
// Start at Of; Edit applies an edit. Sections are headings in Markdown, declarations found by the standard parser in Go,
// and in everything else what an editor found itself, see Given, or else indented blocks.
//
// Guarantees: sections are sorted by their starts and properly nested; a document with syntax errors has the sections
// that could be parsed; there are at most Most; an outline after edits equals the outline of the edited text, unless its
// sections were given. An Outline is immutable. The time is linear in the size of the document.
//
// How it works: each line has a mark that depends on the line alone; an edit marks the touched lines again. Sections
// are built from the marks on demand, and their names are read from the text. In Go, only the declarations around the
// edit are parsed again.
//
// The package deliberately counts no tokens and knows no editor.
package outline
