// Package shell reads shell commands as far as plain words go: what a command line that an agent ran
// does to files, and which commands it consists of.
//
// Start at Acts, or at Segments. It never runs anything and never guesses: what the shell would expand is left out.
//
// The package deliberately is no shell parser: quotes, operators, redirections and here-documents
// are known, everything else is a word.
package shell
