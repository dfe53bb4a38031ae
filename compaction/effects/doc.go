// Package effects says what edits did to files, net of what was undone.
//
// Start with Tracker: it takes the operations of a session in order and returns what became of each file. Of
// describes one edit by the names that it declares or removes; Symbols lists the names that a program's text declares.
//
// A Tracker follows what git and the shell do to the work tree as far as commands plainly say so: commits, the
// index, files that are restored, moved and deleted, git reset --hard. What else may take changes away, such as git stash,
// revert, clean, an earlier commit or a patch applied in reverse, it reports as Maybe with the command that could have
// done it. It reads no files and runs nothing; texts and commands are foreign input, so all work is bounded by the
// constants of this package and linear in their size.
package effects
