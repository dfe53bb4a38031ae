// Package lsp is ctxledger's face for editors: a language server over standard input and output.
//
// Start at New and Serve. Each method of the protocol has a file, listed in methods.go. What is shown of a document is
// computed from an immutable snapshot by plain functions, in one package per kind of document; anyfile is the only one
// so far. stream.go, envelope.go and handle.go sit between the editor and the libraries and correct their mistakes.
//
// Guarantees:
//   - The text is the editor's text, after any edits.
//   - Messages are processed in the order in which they were sent. A call is answered from the document as it was
//     then, or refused as outdated.
//   - A malformed message, an unknown method, a panic or an unavailable ledger fails one request and never the server.
//   - Memory for a message grows with the bytes received, not with the announced length.
//   - The server shows, reads and writes only what the settings ask for; their defaults are quiet.
//
// Positions are UTF-16 code units, which all editors support. The server ends when the client asks for it, when its
// input ends or when the client's process ends. The package deliberately knows no particular editor, only the
// capabilities that a client declares.
package lsp
