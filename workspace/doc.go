// Package workspace finds the directory tree that a process works on, and where its ledger lies.
//
// Start at Find. It asks, in this order: the --workspace flag, CTXLEDGER_WORKSPACE, the variables
// by which agent hosts name their project, the roots of an MCP client, and the working directory.
// The first that names a directory decides. HostSession tells which session of its host a process
// belongs to.
//
// Guarantees: Find creates nothing and changes nothing. The file system's root, a home directory
// itself, system directories and the temporary directory itself are never workspaces; a process
// started there gets the user ledger alone. All worktrees of a repository share one state
// directory, which lies outside the tree. A .git file counts only if the repository that it names
// links back: else the directory has a ledger of its own.
//
// The package deliberately runs no git: it reads the small files by which git links a worktree or
// submodule to its repository, and the repository to them. It does not look into ctxledger.yaml (that is package config) and does not
// open ledgers.
package workspace
