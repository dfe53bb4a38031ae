// Package claudecode reads the session files of Claude Code into the ledger.
//
// Start with Import for a file, with Follow for everything that Claude Code writes for a
// workspace, and with Files to see what there is. A Reader cuts a file into lines, a Decoder
// makes an entry of a line; both can be used alone.
//
// A session file is a growing list of lines, each a JSON record. Every line becomes one entry
// with the line's bytes, unchanged, as its original: records of the conversation as messages,
// all others, unknown ones too, as notes. What cannot be kept as an entry (a damaged line) is
// counted and reported with its line number. A line is taken when a newline ends it, or when it
// is a complete record; until then it stays for later.
//
// Guarantees: files are opened for reading only, one at a time, and nothing is written beside
// them; memory is bounded by limits.Line and a batch; an import that was cut off goes on at the
// byte where the ledger stands, also in another process, and importing again adds nothing. A
// file that no longer holds the bytes that were imported from it is a conflict, never mixed in.
//
// A session is known by its host id: the name of its file, when that is a UUID, else the
// sessionId in its first records. The same session copied to another place is the same import.
// A subagent's file is a session of its own, whose parent is the session that started it.
//
// Room offers the same files to whoever reads without a ledger (agents/audit): there a record holds
// the decoded message, and the usage that the provider reported, as it stands on its line.
//
// The package deliberately does not interpret messages: which calls a message makes, what it
// costs and what becomes an artifact is decided by the ledger. It asks the ledger for three
// things only, named in Ledger.
package claudecode
