package agents

import (
	"context"
	"io"

	"ctxledger.dev/ledger"
)

// Ledger is what reading session files needs of a ledger. ledger.API has it.
type Ledger interface {
	// ImportState says how far an import has come; the zero state with its id before the first batch.
	ImportState(ctx context.Context, r ledger.ImportStateRequest) (ledger.ImportState, error)
	// AppendEntries appends a batch. conflict: the import is no longer at the batch's offset.
	AppendEntries(ctx context.Context, r ledger.AppendEntriesRequest) (ledger.AppendEntriesResponse, error)
	// PutBlob stores a stream. too_large: beyond limits.Blob.
	PutBlob(ctx context.Context, content io.Reader) (ledger.BlobRef, error)
}

var _ Ledger = ledger.API(nil)
