// Package connection opens a shared connection when it is first needed, and closes it when it is no longer used.
//
// Start at Lazy. It deliberately does not know what is connected: the faces and the daemon's client use it for ledgers.
package connection

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"ctxledger.dev/internal/fault"
)

// Lazy is a connection that is opened when it is first needed. After an error the next caller tries again; callers
// that waited meanwhile get the same error. It is safe for concurrent use.
type Lazy[T io.Closer] struct {
	open func(context.Context) (T, error)
	gate chan struct{} // a lock with timeout; holds one token

	conn   T    // guarded by gate; valid while isOpen
	isOpen bool // guarded by gate
	users  int  // guarded by gate; leases, and one for all calls of Get
	kept   bool // guarded by gate; Get was called
	closed bool // guarded by gate

	refused atomic.Pointer[failure] // why the last attempt to open it failed
}

// failure is why a connection could not be opened.
type failure struct{ err error }

// NewLazy returns a connection that calls open when it is first needed.
func NewLazy[T io.Closer](open func(context.Context) (T, error)) *Lazy[T] {
	return &Lazy[T]{open: open, gate: make(chan struct{}, 1)}
}

// Get returns the connection, which then stays open until Close. Errors: those of opening; unavailable when ctx ends
// first, and after Close.
func (l *Lazy[T]) Get(ctx context.Context) (T, error) {
	conn, err := l.enter(ctx)
	if err != nil {
		return conn, err
	}
	defer l.exit()
	if !l.kept {
		l.kept = true
		l.users++
	}
	return conn, nil
}

// Lease returns the connection and a function that releases it. The last release closes it, unless Get was called;
// release is idempotent. Errors: those of Get.
func (l *Lazy[T]) Lease(ctx context.Context) (conn T, release func() error, err error) {
	if conn, err = l.enter(ctx); err != nil {
		return conn, nil, err
	}
	defer l.exit()
	l.users++
	return conn, sync.OnceValue(func() error {
		l.gate <- struct{}{}
		defer l.exit()
		if l.users--; l.users > 0 {
			return nil
		}
		return l.hangUp()
	}), nil
}

// Close closes the connection, if it is open, even while it is in use. It cannot be opened again.
func (l *Lazy[T]) Close() error {
	l.gate <- struct{}{}
	defer l.exit()
	l.closed = true
	return l.hangUp()
}

// enter takes the token and opens the connection, if it is not open. After an error it has released the token.
func (l *Lazy[T]) enter(ctx context.Context) (conn T, err error) {
	const op = "connection.open"
	before := l.refused.Load()
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return conn, fault.Wrap(fault.Unavailable, op, ctx.Err())
	}
	defer func() {
		if err != nil {
			l.exit()
		}
	}()
	switch r := l.refused.Load(); {
	case l.closed:
		return conn, fault.New(fault.Unavailable, op, "the connection to the ledger is closed")
	case l.isOpen:
		return l.conn, nil
	case r != before:
		return conn, r.err
	}
	if conn, err = l.open(ctx); err != nil {
		if ctx.Err() == nil { // else the error concerns only this caller
			l.refused.Store(&failure{err})
		}
		return conn, err
	}
	l.conn, l.isOpen = conn, true
	return conn, nil
}

// exit releases the token.
func (l *Lazy[T]) exit() { <-l.gate }

// hangUp closes the connection, if it is open. The caller has the token.
func (l *Lazy[T]) hangUp() error {
	if !l.isOpen {
		return nil
	}
	l.isOpen = false
	return l.conn.Close()
}
