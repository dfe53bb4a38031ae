// Package ledger is the contract of a ledger: what can be asked of one, and what it answers.
//
// [API] is the whole of it, composed of one interface for each role; a caller declares the roles that it
// uses. Package engine implements it on an open store, engine/daemon over a socket. This package links no
// store, and neither do its callers. Its functions ([Auto], [Compact], [Recover], …) are built on the
// interfaces alone and run in the caller's process.
package ledger
