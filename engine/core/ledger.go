package core

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/kv"
	"ctxledger.dev/memory"
)

// BucketEngine holds the ledger's own records, such as the schema number that tells programs which buckets to expect.
// A ledger without that record has schema 1.
const BucketEngine kv.Bucket = "engine"

// KeySchema is the record of BucketEngine with the schema number.
var KeySchema = []byte("schema")

// Ledger is a ledger opened by this process. It is safe for concurrent use.
type Ledger struct {
	Store   kv.Store
	Env     env.Env
	State   string
	root    string
	Scope   memory.Scope
	Trees   *attribution.Trees
	Options Options          // of which Settings are asked
	Masks   *redact.Redactor // under the ledger's key
	started time.Time

	mu     sync.Mutex
	bell   chan struct{}   // guarded by mu; closed and replaced by every commit
	inUse  map[string]bool // guarded by mu; blobs stored or named since a garbage collection began; nil: there is none
	closed chan struct{}   // closed by Close
	once   sync.Once       // closes closed

	// references is held for reading from the time a blob is stored until the record that references it is committed,
	// and for writing while unreferenced blobs are deleted.
	references sync.RWMutex

	// Erased counts what was forgotten while this process has the ledger open.
	Erased atomic.Int64

	logs     readLogs
	tallies  tallies
	spending spending
	families families
}

// ReadOnly returns a ledger that only reads originals and masks, for records of an older schema.
func ReadOnly(store kv.Store, masks *redact.Redactor) *Ledger {
	return &Ledger{Store: store, Masks: masks}
}

// Migrate upgrades the records of a store to the schema of this program, and returns the redactor with the ledger's
// key.
type Migrate func(ctx context.Context, store kv.Store, state string, e env.Env) (*redact.Redactor, error)

// Open opens the ledger in o.State and upgrades its records to the schema of this program. Errors: unavailable when
// another process owns it or a newer version wrote it; denied for a directory that cannot be written; corrupt.
func Open(ctx context.Context, o Options, migrate Migrate) (*Ledger, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "engine.open", err)
	}
	store, err := o.OpenStore()
	if err != nil {
		return nil, err
	}
	masks, err := migrate(ctx, store, o.State, o.Env)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	scope := memory.Project
	if o.Workspace == "" && !o.Hosted {
		scope = memory.User
	}
	l := &Ledger{
		Store: store, Env: o.Env, State: o.State, root: o.Workspace, Scope: scope, Masks: masks,
		Trees: attribution.NewTrees(o.Workspace, o.Former, o.Trees, masks), Options: o,
		started: o.Env.Now().UTC(), bell: make(chan struct{}), closed: make(chan struct{}),
	}
	failpoint.Hit("engine.open.doomed")
	// An earlier owner may have crashed while forgetting. A ledger on a full disk still opens: reading needs no
	// space, and the user has to open it to delete anything.
	if err := l.DeleteUnreferenced(ctx); err != nil && !fault.Is(err, fault.Full) {
		return nil, errors.Join(err, store.Close())
	}
	return l, nil
}

// Erasures is a number that is another one after each forgetting, and in each process that has the ledger open.
func (l *Ledger) Erasures() int64 { return l.started.UnixNano() + l.Erased.Load() }

// Close waits for running transactions and releases the ledger. A waiting WaitEvents returns.
func (l *Ledger) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Store.Close()
}

// Now returns the current time as it is stored: UTC, without a monotonic reading.
func (l *Ledger) Now() time.Time { return l.Env.Now().UTC().Round(0) }

// View runs fn on a snapshot and returns its value.
func View[T any](ctx context.Context, l *Ledger, fn func(kv.Tx) (T, error)) (T, error) {
	var v T
	err := l.Store.View(ctx, func(tx kv.Tx) error {
		var err error
		v, err = fn(tx)
		return err
	})
	return v, err
}
