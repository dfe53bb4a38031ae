// Package live follows the live session of a workspace: which files it has read, how often, at what cost, and which have
// changed since.
//
// Start at Follow, which reports each new State. It reads a session's log once and then follows the events of the
// ledger, so the state is available before a request needs it.
//
// Guarantees: the first state is reported as soon as the owner of the ledger has read the session files that it found and
// measured how their models count, after Patience in any case; further ones at most every Pause and so rarely that reading
// takes at most a sixth of the time. A ledger that cannot be opened or fails is reported as a Problem and retried with
// exponential backoff. Nothing is written.
//
// The package deliberately knows no editor and reads no files.
package live
