// Package lsp is the face of ctxledger for editors: a language server over standard input and output.
//
// Start at New and Serve. There is one file for each method of the protocol, listed in methods.go; what is
// said about a document is computed by plain functions in a package for each kind of document (anyfile is
// the one there is), from a snapshot that never changes. stream.go, envelope.go and handle.go stand between
// the editor and the libraries, and cure what these get wrong.
//
// Guarantees: the text is what the editor has, after any edits; what the editor sends is taken in in the
// order in which it was sent, and a call is answered from the document as it was then, or refused as
// outdated, never from something in between; a message that is none, a method that nobody knows, a panic, a
// ledger that cannot be opened or goes away each cost one answer and end nothing; no message makes room
// for more than what has come of it. Nothing is shown, read or written unasked but what the settings say,
// and their defaults are quiet.
//
// Positions are units of utf-16, the one that all editors offer. The server ends when the client says so, when its
// input ends, or when the process ends that the client said it is. The package deliberately knows no editor:
// what one of them can, and how, is what it says itself.
package lsp
