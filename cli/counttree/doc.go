// Package counttree shows the tokens of counted files as a tree of the dearest directories and files.
//
// Start at Grow. It decides which places are shown; the rest of a directory is one sum. The package counts nothing
// and reads no file.
package counttree
