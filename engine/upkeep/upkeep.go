// Package upkeep is what is done to a ledger as a whole: migration, disk usage, garbage collection, backups, checks and
// repairs, and forgetting, on request and by age or size.
package upkeep

import (
	"context"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
)

// Upkeep implements ledger.Housekeeping and ledger.Erasure.
type Upkeep struct {
	core        *core.Ledger
	rest        func() // drops the caches of this process
	maintenance maintenance
}

// New returns the upkeep of an open ledger. rest drops the caches of this process, which may hold what is forgotten.
func New(l *core.Ledger, rest func()) *Upkeep {
	return &Upkeep{l, rest, maintenance{token: make(chan struct{}, 1)}}
}

// Mask implements ledger.Erasure.
func (l *Upkeep) Mask(ctx context.Context, r ledger.MaskRequest) (ledger.MaskResponse, error) {
	return l.core.Mask(ctx, r)
}
