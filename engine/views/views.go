// Package views builds the view of a session that a model gets, and decides which parts of it are shortened.
package views

import "ctxledger.dev/engine/core"

// Views implements ledger.Views except Status, which needs the plan of a compaction.
type Views struct {
	*core.Ledger
	turnStats statsCache
}

// New returns the views of an open ledger.
func New(l *core.Ledger) *Views { return &Views{Ledger: l} }

// Rest drops the caches.
func (l *Views) Rest() { l.turnStats.clear() }
