package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/ledger"
	"ctxledger.dev/records"
)

// forgetArgument selects what to forget.
type forgetArgument struct {
	Handle string `json:"handle"` // of an artifact, a message, a summary or a session
	DryRun bool   `json:"dryRun"` // only report what would be forgotten
}

// forget removes what a handle names from the disk. The client has asked the user for confirmation.
func (s *folder) forget(ctx context.Context, which forgetArgument, _ protocol.ProgressToken) (any, error) {
	var d done
	ask := s.modify
	if which.DryRun {
		ask = s.use
	}
	err := ask(ctx, func(api Ledger) error {
		f, err := api.Forget(ctx, ledger.ForgetRequest{Handle: which.Handle, DryRun: which.DryRun})
		if err == nil {
			d.Said = records.Forgotten(f)
		}
		return err
	})
	return d, err
}
