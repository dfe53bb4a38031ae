// Package changes records what happened to files: created, modified or deleted, with the source of the information and the
// intent it is attributed to.
//
// Start at Record, which stores a change, and List, which finds them again; State is what the ledger
// last saw of a file. What was inferred is marked as such; nothing here touches the file system.
//
// A change that a session reports is a claim until the file was observed. The observation completes the claim's record, or
// shows that nothing changed: one change is one record.
//
// The package deliberately does not watch files: that is changes/watch.
package changes
