package mcp

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
)

// modeAuto is the mode that does only what the policy asks for.
const modeAuto = "auto"

// auto does what the policy asks for now, whatever else is asked for. The reason why nothing was done is part of the
// answer.
func (a *compactArgs) auto(ctx context.Context, c *call) (compactResult, error) {
	o, err := a.prepare(ctx, c)
	if err != nil {
		return compactResult{}, err
	}
	done, err := ledger.Auto(ctx, c.api, ledger.AutoRequest{
		EditViewRequest: ledger.EditViewRequest{
			Mutation: ledger.Mutation{Key: a.RequestID}, Session: o.session.ID, Model: a.Model,
			DryRun: a.DryRun, NoEdits: a.Return != "messages",
			Signals: ledger.Signals{Asked: true},
		},
		Options: a.options(),
	}, func(ctx context.Context) (ledger.Author, string, error) { return c.author(ctx, compaction.LLM) })
	if err != nil {
		return compactResult{}, err
	}
	if done.Action == ledger.AutoEdited && !a.DryRun {
		if o.before, err = a.viewBefore(ctx, c, o.session); err != nil {
			return compactResult{}, err
		}
	}
	o.edited, o.warning = done.Edited, done.Fallback
	if done.Compaction != nil {
		o.plan = *done.Compaction
	} else {
		o.plan = ledger.CompactionPlan{Outcome: compaction.NothingToDo, Why: done.Edited.Due.Why}
	}
	return o.result(ctx, c.api)
}
