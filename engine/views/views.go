// Package views shows what a model is to see of a session, and decides what of it is shown less.
package views

import "ctxledger.dev/engine/core"

// Views implements ledger.Views but for Status, which needs the plan of a compaction.
type Views struct {
	*core.Ledger
	growths growths
}

// New returns the views of an open ledger.
func New(l *core.Ledger) *Views { return &Views{Ledger: l} }

// Rest drops what is kept only to be faster.
func (l *Views) Rest() { l.growths.rest() }
