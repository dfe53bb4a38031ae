// Package daemon shares one ledger among processes: a daemon owns it, all others are its clients.
//
// Start at OpenWorkspace, which returns the engine.API of a workspace together with the user ledger; Open
// returns that of one ledger. Every command calls Main first, so that any binary can become the daemon;
// Run is the daemon itself. Package link has the way to an owner, package wire what both sides send.
//
// How it works: the owner of a ledger is the process that holds the lock of its file. It publishes
// address, token and protocol in owner.json in the state directory, which clients read. If there is no
// running owner, a client starts one: the same binary, detached. Calls are frames of JSON with
// attachments of raw bytes, multiplexed over one connection; each blob has a connection of its own, and so has each event
// of an agent's hooks, which the owner answers as it is told to (HookAnswerer).
//
// Guarantees: a call that loses its owner is repeated with the next one until its deadline, and a
// mutation is still applied once, because it has a key. Clients do not restart a crashing owner for ever:
// the waiting call ends with the cause, and later calls try again. A panic becomes an error with an
// incident id; it neither ends the daemon nor shows a stack to the caller. A length from the wire is
// checked before memory is allocated for it. Every file is 0600, every directory 0700. A daemon leaves
// after an idle timeout.
//
// The package deliberately authenticates no users (the token only distinguishes the owner's user from
// others), encrypts nothing, never listens beyond this machine, and does not know the meaning of the
// methods.
package daemon
