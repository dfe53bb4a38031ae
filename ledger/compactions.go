package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// Compactions replaces ranges of a session by summaries, and restores them.
type Compactions interface {
	// PlanCompaction computes what AcceptCompaction would do, and changes nothing.
	PlanCompaction(ctx context.Context, r PlanCompactionRequest) (CompactionPlan, error)
	// AcceptCompaction commits a plan. stale: the log has moved on since it was made.
	AcceptCompaction(ctx context.Context, r AcceptCompactionRequest) (Summary, error)
	// Summaries lists the compactions of a session, oldest first.
	Summaries(ctx context.Context, r SummariesRequest) (SummariesResponse, error)
	// Summary returns one compaction with its text.
	Summary(ctx context.Context, r SummaryRequest) (Summary, error)
	// Restore undoes a compaction: the view shows its range again.
	Restore(ctx context.Context, r RestoreRequest) (RestoreResponse, error)
}

// PlanCompactionRequest asks what a compaction would do.
type PlanCompactionRequest struct {
	Session string `json:"session"`
	Reader
	Options compaction.Options `json:"options"`
}

// CompactionPlan is what a compaction would do.
type CompactionPlan struct {
	PlanCompactionRequest
	Position int64              `json:"position"` // of the log when the plan was made
	Outcome  compaction.Outcome `json:"outcome"`
	Why      string             `json:"why,omitempty"` // in words, for every outcome but compacted
	Summary  Summary            `json:"summary"`       // as it would be recorded; ID is that of the record
	// Brief is what a model is to be given, in the modes that have one write. Secrets are masked in it.
	Brief *compaction.Brief `json:"brief,omitempty"`
}

// AcceptCompactionRequest plans a compaction and commits it.
type AcceptCompactionRequest struct {
	Mutation
	PlanCompactionRequest
	// Position is that of the plan that the caller has seen: the log must not have grown since. 0: there was none.
	Position int64 `json:"position,omitempty"`
	// Answer is the result of asking a model, in the modes in which one writes. With it the log may have grown since
	// the plan, as long as the range is the same.
	Answer *compaction.Answer `json:"answer,omitempty"`
}

// Summary is a compaction with its text and its figures. They were recorded when it was made, in tokens of Model, and
// are the same in every answer.
type Summary struct {
	compaction.Record              // without Figures
	TextTokens        tokens.Count `json:"summary_tokens"`
	TokensBefore      tokens.Count `json:"before"`
	TokensAfter       tokens.Count `json:"after"`
	// Basis is what the figures rest on, as in compaction.Counted; "": made by a version that recorded none.
	Basis    string     `json:"basis,omitempty"`
	Current  bool       `json:"current"`            // whether the view starts with it
	Restored *time.Time `json:"restored,omitempty"` // when it was undone
	// Refused says why nothing was recorded but what a model cost; then ID is empty. "" for a compaction.
	Refused compaction.Outcome `json:"refused,omitempty"`
	Why     string             `json:"why,omitempty"` // in words, with Refused
}

// Became says what a compaction replaced and became, in the words of every face: "≈57,453 → ≈11,763 tokens".
func (s Summary) Became() string {
	return compaction.Counted{Before: s.TokensBefore, After: s.TokensAfter}.String()
}

// Of counts one thing that left the view as the sizes of the compaction were counted: for its model, by what was known when
// it was made.
func (s Summary) Of(c compaction.Cut) tokens.Count {
	if s.Before <= 0 {
		return tokens.Count{N: c.Tokens, Upper: c.Tokens}
	}
	share := func(n int) int { return int((int64(c.Tokens)*int64(n) + int64(s.Before)/2) / int64(s.Before)) }
	of := s.TokensBefore
	return tokens.Count{N: share(of.N), Exact: of.Exact, Upper: share(of.Upper)}
}

// SummariesRequest lists the compactions of a session.
type SummariesRequest struct {
	Session string `json:"session"`
}

// SummariesResponse lists compactions, oldest first, without their texts.
type SummariesResponse struct {
	Summaries []Summary `json:"summaries"`
	// HostCompacted is how often the host itself compacted.
	HostCompacted int `json:"host_compacted,omitempty"`
}

// SummaryRequest asks for one compaction, by its id.
type SummaryRequest struct {
	ID string `json:"id"`
}

// RestoreRequest undoes a compaction.
type RestoreRequest struct {
	Mutation
	ID string `json:"id"`
}

// RestoreResponse says what the view holds after a restore.
type RestoreResponse struct {
	Session string       `json:"session"`
	Current string       `json:"current,omitempty"` // the summary that the view starts with now
	Also    []string     `json:"also,omitempty"`    // the summaries that included this one, undone with it
	Tokens  tokens.Count `json:"tokens"`
	Window  int          `json:"window"` // of the session's model; 0: unknown
	// Edits and Stubs are what of a view without a summary is still not as it was recorded: edits of the policy, and results
	// that are kept as artifacts. Whole is its size without these.
	Edits int          `json:"edits,omitempty"`
	Stubs int          `json:"stubs,omitempty"`
	Whole tokens.Count `json:"whole"`
}

// View says what the view has now, and its size.
func (r RestoreResponse) View() string {
	switch but := r.but(); {
	case r.Current != "":
		return "summary " + r.Current + " at its head, " + r.Tokens.Tokens()
	case but != "":
		return fmt.Sprintf("the whole conversation again, except for %s: %s of %s", but, r.Tokens, r.Whole.Tokens())
	}
	return "the whole conversation again, " + r.Tokens.Tokens()
}

// but says what of a view without a summary is not as it was recorded; "": nothing.
func (r RestoreResponse) but() string {
	var parts []string
	if r.Edits > 0 {
		parts = append(parts, chars.Plural(r.Edits, "edit")+" of `compact --mode auto`")
	}
	if r.Stubs > 0 {
		parts = append(parts, "the omitted parts of "+chars.Plural(r.Stubs, "large result"))
	}
	return strings.Join(parts, " and ")
}

// Compact makes a compaction without a model, in one request. For other outcomes than compacted, which the plan
// returns, only the attempt is recorded. With dryRun nothing is recorded.
func Compact(ctx context.Context, api Compactions, r PlanCompactionRequest, key string,
	dryRun bool) (CompactionPlan, error) {
	if dryRun {
		return api.PlanCompaction(ctx, r)
	}
	made, err := api.AcceptCompaction(ctx, AcceptCompactionRequest{Mutation: Mutation{key}, PlanCompactionRequest: r})
	if err != nil {
		return CompactionPlan{}, err
	}
	return finished(CompactionPlan{PlanCompactionRequest: r}, made), nil
}

// An Author writes the summary of a brief: a model that the caller's process asks, or a supplied text. It returns an
// error only when the caller gave up; the answer says if a model could not be asked.
type Author func(ctx context.Context, b *compaction.Brief) (compaction.Answer, error)

// maxAnswers bounds how often a model is asked when the range changes while it writes.
const maxAnswers = 2

// CompactBy is Compact for the modes in which a model writes: it plans, has the author write, and accepts the result.
// With dryRun no author is asked, and the plan shows the deterministic document. After a compaction Summary.Run says
// how the model's text was used.
//
// Errors: invalid without an author; unavailable when the caller gave up, and then nothing has changed.
func CompactBy(ctx context.Context, api Compactions, r PlanCompactionRequest, key string, dryRun bool,
	author Author) (CompactionPlan, error) {
	if author == nil {
		return CompactionPlan{}, fault.New(fault.Invalid, "engine.compact",
			"mode %s needs a model, and none was given", r.Options.Mode)
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
		answer := compaction.Unasked(p.Brief, "the session changed while each of its summaries was being written")
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
	return CompactionPlan{}, fault.New(fault.Stale, "engine.compact",
		"session %s changed %d times while its compaction was being written", r.Session, limits.Plans).
		WithHint("compact again when the agent pauses")
}

// acceptedBefore returns the response to an earlier request with the same key, so that no model is paid twice; nil
// without one.
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

// finished returns the plan of an accepted or refused compaction.
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
