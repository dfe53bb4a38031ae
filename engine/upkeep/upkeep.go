// Package upkeep maintains a ledger on disk: migration, disk usage, garbage collection, backups, checks and repairs.
package upkeep

import "ctxledger.dev/engine/core"

// Upkeep implements ledger.Housekeeping.
type Upkeep struct{ *core.Ledger }

// New returns the upkeep of an open ledger.
func New(l *core.Ledger) *Upkeep { return &Upkeep{l} }
