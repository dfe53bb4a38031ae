package kv

import (
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
)

// Options are what a caller of Open may choose.
type Options struct {
	// LockWait is how long to wait for another owner to leave; 0 does not wait.
	LockWait time.Duration
	// RunTwice runs every function of Update an extra time, in a transaction that is rolled back, so that
	// tests find functions that are not repeatable.
	RunTwice bool
	// Scratch says that the ledger is temporary: nothing is synced. Never set it for a ledger that is
	// opened again: acknowledged data may be lost.
	Scratch bool
}

// Backend is one kind of store. One that also implements Files can read stores that it does not trust.
type Backend interface {
	// Open opens the store at a place for this owner alone, and creates it if there is none. It takes the lock of package
	// held in the state directory. Errors: locked when another owner has the store; unavailable when it cannot be reached
	// or is newer than this program; denied, invalid or corrupt for what is there.
	Open(place string, o Options) (Store, error)
}

// Backends are the kinds of stores that a program knows, by the scheme of their URLs. Package kv/stores has the product's.
type Backends map[string]Backend

// Open opens the store with a URL: the scheme of its backend, a colon, and what that backend calls a place, such as
// bolt:/home/ann/state. Errors: invalid for an unknown scheme, and those of Backend.Open.
func (b Backends) Open(url string, o Options) (Store, error) {
	backend, place, err := b.Find(url)
	if err != nil {
		return nil, err
	}
	return backend.Open(place, o)
}

// Find returns the backend and the place of a URL. Errors: invalid for an unknown scheme.
func (b Backends) Find(url string) (backend Backend, place string, err error) {
	scheme, place, _ := strings.Cut(url, ":")
	backend, ok := b[scheme]
	if !ok {
		return nil, "", fault.New(fault.Invalid, "kv.open", "unknown kind of store %.100q", scheme)
	}
	return backend, place, nil
}
