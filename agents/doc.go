// Package agents brings the session files of coding agents into the ledger.
//
// Start with Import for one file and with Follow for everything that agents write for a workspace. Read
// returns a file whole, without a ledger. Adapters are those of the agents that can be read: each has a
// package of its own below this one that decodes lines (see package sessionfile). docs/architecture.md says
// how to add one.
//
// A session file is a growing list of lines. Every line becomes one entry with the line's bytes, unchanged,
// as its original: records of the conversation as messages, all others, unknown ones too, as notes. A damaged
// line gives an entry for each record that is whole in it; what is torn is counted and reported with the line's
// number. A line is taken when a newline ends it, or when it is a complete record; until then it is left for later.
// Offsets are those of the text, also of a file that its agent has compressed.
//
// Guarantees: files are opened for reading only, one at a time, and nothing is written to their directories;
// memory is bounded by limits.Line and a batch; an interrupted import resumes at the offset that the ledger
// knows, also in another process, and importing again adds nothing. A file that no longer holds the bytes
// that were imported from it is a conflict, never mixed in. The same session copied to another place is the
// same import. A subagent's file is a session of its own, whose parent is the session that started it.
//
// The package deliberately does not interpret messages: which calls a message makes, what it costs and
// what becomes an artifact is decided by the ledger. It asks the ledger for three things only, named in Ledger.
package agents
