// Package graph reads context graphs: Markdown documents whose headings open blocks and whose operations (@llm, @shell,
// @import, @run, @return, @goto) say which blocks are sent to a model. The language is Fractalic's; docs/graph.md has the
// differences.
//
// Start at Settings.Parse. A Document has a tree of Blocks and the Operations in them; Document.Find resolves a reference,
// Document.Request assembles what an operation sends, Document.Merge inserts its result, and Check says what is wrong.
//
// Guarantees: a Document is immutable, and all positions are byte offsets into its Source, which is the text byte for byte.
// Code, HTML, quotes and lists never open blocks or operations. A document after Edit equals the edited text parsed anew.
// Checking takes time for the text and for what operations select, once for each.
//
// The package runs nothing, opens no file and counts no tokens: callers read what a document names, and count.
package graph
