// Package compacting replaces ranges of sessions by summaries: it plans, and accepts what came of a plan.
package compacting

import "ctxledger.dev/engine/views"

// Compactions implements ledger.Compactions, and with the status ledger.Views.
type Compactions struct{ *views.Views }

// New returns the compactions of an open ledger.
func New(v *views.Views) *Compactions { return &Compactions{v} }
