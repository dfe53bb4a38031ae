// Package observe watches files change and reports the changes to the ledger.
//
// Start at Run, a background task of the owner of the ledger. It requests the recently touched files (Touched), watches
// their directories, and reports the states of files in them (RecordStates). The ledger decides what a state means and
// which session changed the file.
//
// Each of the most recently touched trees that share the ledger has an observer; that of the workspace also observes the
// trees inside it. The observers share the bounds below.
//
// Guarantees: only directories of touched files are watched, so the size of the tree does not matter; their number is
// capped, and the least recently touched are dropped first. If the system has no more watches, directories are polled.
// However a file is saved (in place, by renaming, with a backup), that is one change; a file that existed for less than
// the debounce is none. Changes of touched files while nothing ran are found at the start. Nothing outside the trees is
// read, neither through links nor by races; pipes and devices are not opened.
//
// The package deliberately attributes nothing and stores nothing: its state in memory can be rebuilt from the files. It
// reads neither .git nor files that git ignores, unless a session touched one of them by name.
package observe
