// Package views builds the view of a session that a model gets: its pages, the edits that shorten parts of it, and the
// compactions that replace ranges of it by summaries.
package views

import "ctxledger.dev/engine/core"

// Views implements ledger.Views and ledger.Compactions.
type Views struct {
	core      *core.Ledger
	turnStats statsCache
}

// New returns the views of an open ledger.
func New(l *core.Ledger) *Views { return &Views{core: l} }

// Rest drops the caches.
func (l *Views) Rest() { l.turnStats.clear() }
