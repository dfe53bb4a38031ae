// Package wire is what the owner of a ledger and its clients send each other: frames, the greeting, requests, responses,
// streams of bytes, and events of hooks.
//
// Start at proto.go. A length is checked before memory is allocated for it. The package deliberately knows neither the
// requests of a ledger nor how an owner is found.
package wire
