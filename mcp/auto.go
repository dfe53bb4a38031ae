package mcp

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
)

// modeAuto is the mode that does what the policy asks for, and no more.
const modeAuto = "auto"

// auto does what the policy asks for now. A request that is not granted is told why; below half of what
// makes a compaction due it is granted only to a caller that hands in messages or names a budget.
func (a *compactArgs) auto(ctx context.Context, c *call) (reply, error) {
	s, handed, err := a.conversation(ctx, c)
	if err != nil {
		return reply{}, err
	}
	before, err := a.viewBefore(ctx, c, s)
	if err != nil {
		return reply{}, err
	}
	done, err := ledger.Auto(ctx, c.api, ledger.AutoRequest{
		EditViewRequest: ledger.EditViewRequest{
			Mutation: ledger.Mutation{Key: a.RequestID}, Session: s.ID, Model: a.Model, DryRun: a.DryRun, NoEdits: a.Return != "messages",
			Signals: ledger.Signals{Asked: true, Insist: a.Budget > 0 || a.Messages != nil || a.Since != nil},
		},
		Options: a.options(),
	}, func(ctx context.Context) (ledger.Author, string, error) { return c.author(ctx, compaction.LLM) })
	if err != nil {
		return reply{}, err
	}
	if done.Action == ledger.AutoEdited && !a.DryRun {
		if before, err = a.viewBefore(ctx, c, s); err != nil {
			return reply{}, err
		}
	}
	o := outcome{args: *a, session: s, handed: handed, edited: done.Edited, before: before, warning: done.Fallback, prefix: c.o.ToolPrefix, problems: c.problems(ctx)}
	if done.Compaction != nil {
		o.plan = *done.Compaction
	} else {
		o.plan = ledger.CompactionPlan{Outcome: compaction.NothingToDo, Why: done.Edited.Due.Why}
	}
	r, err := o.result(ctx, c.api)
	return answer(r), err
}
