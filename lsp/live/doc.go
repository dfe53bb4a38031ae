// Package live knows what the live session of a workspace does with files: which it has read, how often,
// at what cost, and which have changed since.
//
// Start at Follow, which tells of each new State. It reads a session's log once and then follows the events
// of the ledger, so what it knows is there before anybody asks.
//
// Guarantees: the first news is told at once, further ones at most every Pause, and so seldom that
// looking takes a sixth of the time at most; a ledger that cannot be opened,
// or goes away, is a Problem in words and tried again, less and less often. Nothing is written.
//
// The package deliberately knows no editor and no file on the disk.
package live
