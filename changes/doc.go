// Package changes keeps what happened to files: created, modified or deleted, with the source of
// the knowledge and the intent it is attributed to.
//
// Start at Record, which stores a change, and List, which finds them again. What was inferred is
// marked as such; nothing here touches the file system.
//
// The package deliberately does not watch files: that is changes/watch.
package changes
