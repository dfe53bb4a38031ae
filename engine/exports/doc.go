// Package exports writes changes.json and intents.json from the ledger, for other programs to read.
//
// Start at Write, which writes all sessions or one into a directory, and at Follow, which keeps the
// files of the active session up to date while an owner lives: bounded, debounced, and at most one
// hundredth of the time.
//
// Guarantees: a file is complete or not there, private before it has content, and its secrets are
// masked; a session is read page by page and never loaded as a whole; nothing here is ever read back.
// What an agent only said is not written: files come from recorded changes, the outcome of a command
// from its intent.
//
// The package deliberately reads no files of other programs, and writes nothing into their directories.
package exports
