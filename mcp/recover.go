package mcp

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
	"ctxledger.dev/overflow"
)

// recover does what comes next after a provider refused a request, or cut it: the limit that it names is
// learned, the conversation compacted without a model, and where that does not fit, the messages that come
// back are a trimmed copy, of which nothing is recorded.
func (a *compactArgs) recover(ctx context.Context, c *call) (reply, error) {
	s, handed, err := a.conversation(ctx, c)
	if err != nil {
		return reply{}, err
	}
	before, err := a.viewBefore(ctx, c, s)
	if err != nil {
		return reply{}, err
	}
	got := overflow.Read(0, []byte(a.Error))
	done, err := ledger.Recover(ctx, c.api, ledger.OverflowRequest{
		Mutation: ledger.Mutation{Key: a.RequestID}, Session: s.ID, Model: a.Model,
		Status: got.Status, Body: got.Body, Finish: got.Finish, Usage: got.Usage,
	}, a.options())
	if err != nil {
		return reply{}, err
	}
	if done.Advice.Action == overflow.GiveUp {
		return notDone(done.Advice.Say), nil
	}
	o := outcome{args: *a, session: s, handed: handed, before: before, prefix: c.o.ToolPrefix, problems: c.problems(ctx)}
	o.plan = ledger.CompactionPlan{Outcome: compaction.NothingToDo, Why: string(done.Verdict.Class) + ": " + done.Next}
	if done.Auto != nil && done.Auto.Action == ledger.AutoCompacted {
		o.plan, o.warning = *done.Auto.Compaction, string(done.Verdict.Class)+": "+done.Next
	}
	r, err := o.result(ctx, c.api)
	if err == nil {
		err = o.send(ctx, c.api, &r, done)
	}
	return answer(r), err
}

// send hands out what is to be sent instead of what was refused: the trimmed copy, or else the view.
func (o outcome) send(ctx context.Context, api ledger.ViewReader, r *compactResult, done ledger.Recovery) (err error) {
	if done.Messages == nil {
		if done.Advice.Retry && r.Messages == nil {
			r.Delivery = o.delivery()
			r.Messages, err = o.messages(ctx, api)
		}
		return err
	}
	r.Messages = nil
	size := 0
	for _, m := range done.Messages {
		if size += len(m); size > maxView {
			return tooLongView()
		}
		r.Messages = append(r.Messages, m)
	}
	r.Delivery = "send `messages` once: a trimmed copy, of which nothing is recorded"
	return nil
}
