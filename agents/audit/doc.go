// Package audit reads the session files of all coding agents that are known here, and makes the figures of
// package report of them. No ledger is needed, and nothing is written but a file with the figures of what was
// read, for the next audit.
//
// Start at Run. It reads the files of the agents in the table of package agents. Audit.Replay has the caller play the most
// expensive sessions.
//
// Guarantees: session files are opened for reading only; each is streamed, so that memory does not grow with their
// size but with the number of requests, of open pieces of a context, and of different files and tools that
// they name; what cannot be read is reported and the rest is still read; a request that several files report is
// counted once, in the first of them by the order of their paths. The result does not depend on how many processors work on
// it, or how fast.
//
// The package deliberately prints nothing, masks nothing, and decides nothing about money.
package audit
