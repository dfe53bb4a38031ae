// Package engine is the one place where several domains change in one transaction, and the one
// interface (API) through which every face reaches a ledger.
//
// Start at API, and at Open for a ledger in this process. A fact goes down once: a face hands in a
// request; what can be computed beforehand is (decoding, counting, blobs: prepare.go); one
// transaction writes entries, intents, changes and artifacts together with an event and the
// response under the request's key (record.go, mutate.go). A view comes back the same way: headers
// are folded by package window, originals are loaded and rendered (view.go).
//
// Guarantees: a call that returned is durable; a mutation sent twice with one key is applied once
// and answered the same; what an entry says about its original (counts, calls, paths) is extracted
// once, when it is appended; stored text is never executed, only quoted.
//
// The package deliberately knows no protocol, starts no process and calls no model.
package engine
