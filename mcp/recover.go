package mcp

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window/overflow"
)

// recover handles a request that a provider refused or truncated: it learns the limit that the error names and compacts
// the conversation without a model. If that does not fit, the returned messages are a trimmed copy, which is not
// recorded.
func (a *compactArgs) recover(ctx context.Context, c *call) (compactResult, error) {
	o, err := a.prepare(ctx, c)
	if err != nil {
		return compactResult{}, err
	}
	got := overflow.Read(0, []byte(a.Error))
	done, err := ledger.Recover(ctx, c.api, ledger.OverflowRequest{
		Mutation: ledger.Mutation{Key: a.RequestID}, Session: o.session.ID, Reader: a.reader,
		Model:  a.Model,
		Status: got.Status, Body: got.Body, Finish: got.Finish, Usage: got.Usage,
	}, a.options())
	if err != nil {
		return compactResult{}, err
	}
	if done.Advice.Action == overflow.GiveUp {
		return notDone(done.Advice.Say), nil
	}
	o.plan = ledger.CompactionPlan{Outcome: compaction.NothingToDo, Why: string(done.Verdict.Class) + ": " + done.Next}
	if done.Auto != nil && done.Auto.Action == ledger.AutoCompacted {
		o.plan, o.warning = *done.Auto.Compaction, string(done.Verdict.Class)+": "+done.Next
	}
	r, err := o.result(ctx, c.api)
	if err == nil {
		err = o.send(ctx, c.api, &r, done)
	}
	return r, err
}

// send returns the messages to send instead of the refused ones: the trimmed copy, or else the view.
func (o outcome) send(ctx context.Context, api ledger.ViewReader, r *compactResult, done ledger.Recovery) (err error) {
	if done.Messages == nil {
		if done.Advice.Retry && r.Messages == nil {
			r.Delivery = o.delivery()
			_, err = o.messages(ctx, api, r)
		}
		return err
	}
	r.Messages = nil
	for _, m := range done.Messages {
		r.Messages = append(r.Messages, m)
	}
	r.Delivery = "send `messages` once: a trimmed copy, which is not recorded"
	return fits(r.Messages)
}
