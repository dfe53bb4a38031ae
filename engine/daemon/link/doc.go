// Package link reaches the owner of a ledger: it finds the running daemon, starts one, sends calls, and asks it to leave.
//
// Start at Connect, whose Client outlives owners, or at Hook, which asks once and starts nothing. What both sides send
// begins in proto.go: frames, the greeting, requests, responses, streams of bytes. A length is checked before memory is
// allocated for it. Package daemon has the contract of a ledger over it, and the owner's side.
//
// Guarantees: a call that loses its owner is repeated with the next one until its deadline. Clients do not restart a
// crashing owner for ever: the waiting call ends with the cause, and later calls try again. Only addresses of this machine
// are dialled, and what another process than the owner answers there is an error.
//
// The package deliberately opens no store and knows no request of a ledger, so that a program which only asks a daemon
// stays small and starts at once.
package link
