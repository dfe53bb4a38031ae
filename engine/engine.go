package engine

import (
	"context"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/engine/files"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/engine/views"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// Options say which ledger to open.
type Options = core.Options

// Settings are what a user configures of a ledger.
type Settings = core.Settings

// Local is a ledger opened by this process: one implementation for each role of the contract, all on one open store. It
// is safe for concurrent use.
type Local struct {
	ledger.Events
	ledger.Recorder
	ledger.SessionReader
	ledger.Views
	ledger.Compactions
	ledger.ArtifactStore
	ledger.Blobs
	ledger.MemoryStore
	ledger.Files
	ledger.Observations
	ledger.Erasure
	ledger.Housekeeping
	ledger.Calibration
	ledger.Servers
	ledger.Hooks
	ledger.ModelRequests

	core   *core.Ledger
	views  *views.Views
	upkeep *upkeep.Upkeep
}

var _ ledger.API = (*Local)(nil)

// Open opens the ledger in o.State and upgrades its records to the schema of this program. Errors: unavailable when
// another process owns it or a newer version wrote it; denied for a directory that cannot be written; corrupt.
func Open(ctx context.Context, o Options) (*Local, error) {
	c, err := core.Open(ctx, o, upkeep.Migrate)
	if err != nil {
		return nil, err
	}
	// Copies that a killed process left. What cannot be removed now is reported by gc.
	_, _ = temporary.Clear(o.State, false, o.Env.Now())
	v, f := views.New(c), files.New(c)
	u := upkeep.New(c, func() { c.Rest(); v.Rest() })
	return &Local{
		Events: c, Recorder: views.NewRecorder(c, v), SessionReader: c,
		ArtifactStore: c, Blobs: c, MemoryStore: c, Calibration: c, Servers: c, Hooks: c,
		ModelRequests: views.NewRequests(c, v),
		Views:         v, Compactions: v, Files: f, Observations: f, Erasure: u, Housekeeping: u,
		core: c, views: v, upkeep: u,
	}, nil
}

// IndexWords has a part of what was recorded be found by its words, and reports whether there is more. Errors: those of the
// store.
func (l *Local) IndexWords(ctx context.Context) (more bool, err error) { return l.core.IndexWords(ctx) }

// Close waits for running transactions and releases the ledger. A waiting WaitEvents returns.
func (l *Local) Close() error { return l.core.Close() }

// CheckLocation returns an error of code moved when the ledger's files are no longer where they were opened.
func (l *Local) CheckLocation() error {
	if s, ok := l.core.Store.(kv.Watched); ok {
		return s.CheckLocation()
	}
	return nil
}

// Tighten makes every file of the state directory private again, where its permissions were loosened.
func (l *Local) Tighten() error {
	if s, ok := l.core.Store.(kv.Watched); ok {
		return s.Tighten()
	}
	return nil
}

// KeepReserve creates the file that reserves space for deleting on a full disk. Errors: those of writing it.
func (l *Local) KeepReserve() error { return l.upkeep.KeepReserve() }

// Rest drops the caches of an idle ledger: the logs that were read, what was derived from them, and the tables of the
// tokenizers.
func (l *Local) Rest() {
	l.core.Rest()
	l.views.Rest()
}
