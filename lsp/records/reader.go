package records

import (
	"context"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// Ledger is what showing the content of a ledger uses of it.
type Ledger interface {
	ledger.SessionReader
	ledger.Views
	ledger.Compactions
	ledger.ArtifactStore
	ledger.Blobs
	ledger.MemoryStore
	ledger.Files
	ledger.Erasure
}

// Reader reads a ledger for an editor.
type Reader struct {
	API Ledger
	Now time.Time // its zone is that of all times shown
}

// Text returns the document at an address. For a forgotten record it says so, and since when.
//
// Errors: those of the ledger; not_found for an unknown record.
func (r Reader) Text(ctx context.Context, a Address) (string, error) {
	switch a.Kind {
	case KindSession:
		return r.sessionText(ctx, a.ID)
	case KindSummary:
		return r.summaryText(ctx, a.ID)
	case KindArtifact:
		return r.artifactText(ctx, a.ID)
	case KindMemory:
		return r.memoryText(ctx, a.Scope, a.ID)
	case KindChange:
		return r.changeText(ctx, a.ID)
	case KindBefore, KindAfter:
		return r.sideText(ctx, a)
	}
	return "", fault.New(fault.Invalid, "records.text", "nothing is to be read of a %q", a.Kind)
}

// stamp formats a time in the reader's zone; "" for the zero time.
func (r Reader) stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(r.Now.Location()).Format("2006-01-02 15:04")
}
