// Package engine opens a ledger in this process and composes the packages that implement it: one
// implementation per role of the contract (ledger.API), all on one open store. It is the one place
// where several domains change in one transaction.
//
// Start at Open. A client sends a request. Decoding, counting and storing blobs happen before the
// transaction (core/prepare.go). One transaction then writes entries, intents, changes and artifacts
// together with an event and the response under the request's key (core/record.go, core/mutate.go).
// For a view, package window folds the headers, and originals are loaded and rendered (views/view.go).
//
// Guarantees: a call that returned is durable. A mutation sent twice with one key is applied once and
// gets the same response. What an entry says about its original (counts, calls, paths) is extracted
// once, when it is appended. Stored text is never executed, only quoted.
//
// The package deliberately knows no protocol, starts no process and calls no model.
package engine
