package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
	"ctxledger.dev/records"
)

// done is the result of a command on the ledger.
type done struct {
	Said string `json:"said"` // one line, for a message
	URI  string `json:"uri"`  // the document that shows it; "": none
}

// compactArgument selects what to compact.
type compactArgument struct {
	Session string `json:"session"` // "": the one that is followed, else the newest
}

// compact replaces the older part of a session by a summary without a model, like `ctxledger compact`. It can be
// cancelled by its request or its progress.
func (s *folder) compact(ctx context.Context, which compactArgument, token protocol.ProgressToken) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var d done
	err := s.modify(ctx, func(api Ledger) error {
		session, err := s.session(ctx, api, which.Session)
		if err != nil {
			return err
		}
		p := s.progress(ctx, token, "compacting session "+session.ID, false, cancel)
		defer p.end()
		plan, err := ledger.Compact(ctx, api, ledger.PlanCompactionRequest{
			Session: session.ID, Options: compaction.Options{Mode: compaction.Intent, Reason: compaction.Manual},
		}, "", false)
		if err == nil {
			d.Said, d.URI = records.Compacted(plan)
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // whatever error the ledger returned
	}
	return d, err
}
