// Package workspace finds the directory tree that a process works on, and the directory of its ledger.
//
// Start at Find. It tries, in this order: the --workspace flag, CTXLEDGER_WORKSPACE, the variables with
// which agent hosts name their project, the roots of an MCP client, and the working directory. The first
// that names a directory decides. HostSession returns the host's session of a process.
//
// Guarantees: Find creates and changes nothing. The root of the file system, home directories, system
// directories and the temporary directory are never workspaces; a process started there gets only the user
// ledger. All worktrees of a repository share one state directory, which is outside the tree. A .git file
// counts only if the repository that it names links back; else the directory has its own ledger. A directory
// that becomes a repository, or stops being one, keeps its ledger. Others returns ledgers that are not in use, Ledgers all.
// A ledger records which repository it was made for (Place); found at the path of another one, it is Strange, and nobody
// may use it before a person has decided.
//
// The package deliberately does not run git: it reads the small files with which git links a worktree or
// submodule to its repository and back, and commits through package gitobject. It does not read ctxledger.yaml (package
// config does) and does not open ledgers.
package workspace
