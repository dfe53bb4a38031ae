// Package observe sees files change and hands what it saw to the ledger.
//
// Start at Run, a background task of whoever owns the ledger. It asks the ledger which files sessions
// touched lately (Touched), watches the directories of those files, and tells the ledger what became of
// files in them (RecordStates); the ledger decides what that means and whose doing it was.
//
// Of the trees that share the ledger, an observer each looks at those that sessions touched last; the files
// of trees inside the workspace are those of its observer. They share the bounds below.
//
// Guarantees: only directories of files that sessions touched are looked at, so the size of the tree
// costs nothing; their number is capped, those not touched for longest go first. Where the system
// gives no more watches, directories are polled. A file that is saved in whatever way (in place, by
// renaming, with a backup) is one change, and what existed for less than the debounce is none. What
// changed while nothing ran is found at the start, for touched files. Nothing outside the trees is
// read, through links or races either; pipes and devices are not opened.
//
// The package deliberately attributes nothing and stores nothing: what it keeps in memory can be had
// again by looking. It looks neither into .git nor at files that git ignores, unless a session touched
// one of them by name.
package observe
