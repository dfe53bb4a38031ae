package engine

import (
	"context"

	"ctxledger.dev/ledger"
)

var _ ledger.API = (*Local)(nil)

// Open opens the ledger in o.State and brings its records to the schema of this program. Errors: unavailable when
// another process owns it or when a newer version wrote it; denied for a directory that cannot be written; corrupt.
func Open(ctx context.Context, o Options) (*Local, error) { return openLedger(ctx, o, migrate) }
