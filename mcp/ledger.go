package mcp

import (
	"io"

	"ctxledger.dev/ledger"
)

// Ledger is what the server uses of a ledger.
type Ledger interface {
	ledger.Events
	ledger.MessageTaker
	ledger.SessionReader
	ledger.Shrinker
	ledger.ArtifactStore
	ledger.MemoryStore
	ledger.Files
	ledger.Erasure
	ledger.Eraser
	ledger.Calibration
	io.Closer
}
