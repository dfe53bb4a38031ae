// Package daemon shares one ledger among processes: a daemon owns it, everyone else dials.
//
// Start at OpenWorkspace, which gives a face the engine.API of a workspace together with the user
// ledger; Open gives that of one ledger. Main is what every command calls first, so that any
// binary can become the daemon; Run is the daemon itself.
//
// How it fits together: the owner of a ledger is the process that holds the lock of its file. It
// publishes address, token and protocol in owner.json inside the state directory; a client reads
// that and computes nothing. Without a living owner a client starts one: the same binary, detached.
// Calls are frames of JSON, with raw bytes beside them, multiplexed over one connection; blobs travel
// on connections of their own.
//
// Guarantees: a call that loses its owner is repeated with the next one until its deadline, and a
// mutation is nevertheless applied once, because it carries a key. Owners that die by themselves are
// not started forever: the call that waits ends with the cause, and later ones try again. A failing request answers with
// an error that names an incident, and neither ends the daemon nor shows a stack to the caller.
// Nothing is allocated by a length from the wire before it is checked. Every file is 0600, every
// directory 0700. A daemon leaves when it is not needed.
//
// The package deliberately authenticates no users (the token only tells the owner's user from
// others), encrypts nothing, never listens beyond this machine, and knows nothing of what the
// methods mean.
package daemon
