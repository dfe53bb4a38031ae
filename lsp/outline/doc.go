// Package outline finds the sections of a document: what a reader would fold or jump to.
//
// Start at Of; Edit follows an edit. Markdown has the sections of its headings, Go the declarations that its
// own parser finds, everything else the blocks that its indentation shows.
//
// Guarantees: sections come in the order in which they start, each inside the one that it belongs to and
// none across another's end; a document that its language's parser refuses has the sections that could be
// read; there are at most Most; an outline that followed edits is the outline of the edited text. An Outline
// never changes. Whatever the bytes, the time grows with their number.
//
// How it works: of each line there is a mark, which shows in the line alone; an edit marks anew the lines that it
// touched. Sections are made of the marks when somebody asks, and read from the text when they are shown. In
// Go, it is the declaration around the edit that is parsed anew.
//
// The package deliberately counts nothing and knows no editor.
package outline
