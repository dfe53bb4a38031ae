// Package compacting replaces ranges of sessions by summaries: it plans a compaction, and records the result.
package compacting

import "ctxledger.dev/engine/views"

// Compactions implements ledger.Compactions, and Status of ledger.Views.
type Compactions struct{ *views.Views }

// New returns the compactions of an open ledger.
func New(v *views.Views) *Compactions { return &Compactions{v} }
