// Package scriptededitor is an editor for tests and measurements: a client of language servers, and a text
// as editors hold it.
//
// Start at New, with the two ends of a server's standard input and output; Buffer is the text. It
// shares no code with the libraries of the server, so that a fault of theirs cannot cancel itself out.
//
// Guarantees: everything that arrives is kept in its order or answered; a caller that waits learns when the
// server has gone. It deliberately knows of the protocol only the header of a message, JSON-RPC
// and edits.
package scriptededitor
