package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/ledger"
	"ctxledger.dev/records"
)

// restoreArgument selects what to restore.
type restoreArgument struct {
	Summary string `json:"summary"` // its id
}

// restore undoes a compaction: the view of the session shows the range again.
func (s *folder) restore(ctx context.Context, which restoreArgument, _ protocol.ProgressToken) (any, error) {
	var d done
	err := s.modify(ctx, func(api Ledger) error {
		r, err := api.Restore(ctx, ledger.RestoreRequest{ID: which.Summary})
		if err == nil {
			d.Said = records.Restored(which.Summary, r)
		}
		return err
	})
	return d, err
}
