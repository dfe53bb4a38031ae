package mcp

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
)

// modeAuto is the mode that does only what the policy asks for.
const modeAuto = "auto"

// auto does what the policy asks for now. The reason of a refusal is part of the answer. Below half of the threshold, a
// caller has to hand in messages or name a budget.
func (a *compactArgs) auto(ctx context.Context, c *call) (reply, error) {
	o, err := a.prepare(ctx, c)
	if err != nil {
		return reply{}, err
	}
	done, err := ledger.Auto(ctx, c.api, ledger.AutoRequest{
		EditViewRequest: ledger.EditViewRequest{
			Mutation: ledger.Mutation{Key: a.RequestID}, Session: o.session.ID, Model: a.Model,
			DryRun: a.DryRun, NoEdits: a.Return != "messages",
			Signals: ledger.Signals{Asked: true, Insist: a.Budget > 0 || a.Messages != nil || a.Since != nil},
		},
		Options: a.options(),
	}, func(ctx context.Context) (ledger.Author, string, error) { return c.author(ctx, compaction.LLM) })
	if err != nil {
		return reply{}, err
	}
	if done.Action == ledger.AutoEdited && !a.DryRun {
		if o.before, err = a.viewBefore(ctx, c, o.session); err != nil {
			return reply{}, err
		}
	}
	o.edited, o.warning = done.Edited, done.Fallback
	if done.Compaction != nil {
		o.plan = *done.Compaction
	} else {
		o.plan = ledger.CompactionPlan{Outcome: compaction.NothingToDo, Why: done.Edited.Due.Why}
	}
	r, err := o.result(ctx, c.api)
	return answer(r), err
}
