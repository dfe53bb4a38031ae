package ledger

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/sessions"
)

// An Author writes the summary of a brief: a model that the caller's process asks, or a text that somebody
// supplies. It fails only when the caller gave up; a model that cannot be asked is an answer that says so.
type Author func(ctx context.Context, b *compaction.Brief) (compaction.Answer, error)

// maxAnswers is how often a model is asked again because the range changed while it wrote.
const maxAnswers = 2

// CompactBy is Compact for the modes that have a model write: it plans, has the author write, and accepts
// what came of that. With dryRun no author is asked: the plan shows the deterministic document. A
// compaction whose outcome is compacted says in Summary.Run what became of the model's words.
//
// Errors: invalid without an author; unavailable when the caller gave up, and then nothing was changed.
func CompactBy(ctx context.Context, api Compactions, r PlanCompactionRequest, key string, dryRun bool, author Author) (CompactionPlan, error) {
	if author == nil {
		return CompactionPlan{}, fault.New(fault.Invalid, "engine.compact", "mode %s needs a model, and none was given", r.Options.Mode)
	}
	if done, err := acceptedBefore(ctx, api, r, key); done != nil || err != nil {
		if err != nil {
			return CompactionPlan{}, err
		}
		return finished(CompactionPlan{PlanCompactionRequest: r}, *done), nil
	}
	var wasted sessions.Usage
	for asked := range limits.Plans {
		p, err := api.PlanCompaction(ctx, r)
		if err != nil || dryRun || p.Brief == nil {
			return p, err
		}
		answer := compaction.Unasked(p.Brief, "the session changed under each of its summaries")
		if asked < maxAnswers {
			if answer, err = author(ctx, p.Brief); err != nil {
				return p, err
			}
		}
		answer.Run.Usage = answer.Run.Usage.Add(wasted)
		accepted, err := api.AcceptCompaction(ctx, AcceptCompactionRequest{
			Mutation: Mutation{key}, PlanCompactionRequest: r, Position: p.Position, Answer: &answer,
		})
		if fault.Is(err, fault.Stale) {
			wasted = answer.Run.Usage
			continue
		}
		if err != nil {
			return p, err
		}
		return finished(p, accepted), nil
	}
	return CompactionPlan{}, fault.New(fault.Stale, "engine.compact", "session %s changed %d times while its compaction was written", r.Session, limits.Plans).
		WithHint("compact again when the agent pauses")
}

// acceptedBefore asks for the answer that an earlier sending under the same key got, so that no model is
// paid twice; nil when there was none.
func acceptedBefore(ctx context.Context, api Compactions, r PlanCompactionRequest, key string) (*Summary, error) {
	if key == "" {
		return nil, nil
	}
	s, err := api.AcceptCompaction(ctx, AcceptCompactionRequest{Mutation: Mutation{key}, PlanCompactionRequest: r})
	switch {
	case err == nil:
		return &s, nil
	case fault.Is(err, fault.Invalid): // it is the first sending: an answer is missing
		return nil, nil
	}
	return nil, err
}

// finished is the plan of what was accepted, or refused.
func finished(p CompactionPlan, s Summary) CompactionPlan {
	p.Brief = nil
	if s.Refused != "" {
		p.Outcome, p.Why = s.Refused, s.Why
		p.Summary.Run = s.Run
		return p
	}
	p.Outcome, p.Why, p.Summary = compaction.Compacted, "", s
	return p
}
