// Package files returns what sessions intended to do with files and how the files changed, and records what an
// observer sees of them.
package files

import "ctxledger.dev/engine/core"

// Files implements ledger.Files and ledger.Observations.
type Files struct{ core *core.Ledger }

// New returns the files of an open ledger.
func New(l *core.Ledger) *Files { return &Files{l} }
