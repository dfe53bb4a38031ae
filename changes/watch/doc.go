// Package watch reports which paths in a set of directories may have changed.
//
// A process has one Shared, and with it one watcher of the system: their number is limited for each user, and every
// process of ctxledger would use up several. Its New starts a Watcher for each part of the program: name directories with
// Add and read Events. Watching is not recursive: each directory is added on its own, and a caller that finds a new
// directory in an event adds it and then looks at what is already there.
//
// Guarantees: a change in a watched directory leads to an event that is sent after the change
// happened, so a caller who looks at the path then sees it or something newer; what was lost
// (an overflow of the system's queue or of ours, an error of the system) leads to an Event with
// Rescan, never to silence; unread events of one path are merged into one; memory is
// bounded by the queue; after Close no goroutine is left. Watchers do not affect each other: what one adds, removes or
// leaves unread changes nothing for the others, also where they watch the same directory, under one name or several.
//
// Where the system refuses, because a limit is reached, Add fails and the caller polls. Adding again later asks the system
// again, at most once in limits.WatchRetry. Polled says that, and why; it is logged when it begins and when it ends.
//
// The package deliberately does not say what happened to a path, reads no files, keeps no
// state about them and knows no ignore rules: the caller compares what it sees with what it knows.
package watch
