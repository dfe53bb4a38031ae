// Package filecount counts the tokens of many files at once: those that are named, and all that git does not
// ignore in directories.
//
// Start at New; name files with Add and directories with Dir, and get what was found with Done. While the
// caller's goroutine looks for files, as many as there are processors count them.
//
// Guarantees: what is found has the order in which it was named and walked, whichever was read first; what cannot
// be read is kept with the reason, and the rest goes on; links are not followed, and .git is left out; an end
// of the context ends everything.
//
// The package deliberately prints nothing and writes nothing.
package filecount
