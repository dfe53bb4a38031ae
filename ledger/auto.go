package ledger

import (
	"cmp"
	"context"
	"fmt"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// AutoRequest asks for what the policy requires of a session's view now.
type AutoRequest struct {
	EditViewRequest
	// Options are those of a compaction, should one be due. Its mode and reason are the policy's.
	Options compaction.Options
}

// An OpenAuthor makes the author of a mode that has a model write, when one is needed, and names the
// sections of its summary.
type OpenAuthor func(ctx context.Context) (Author, string, error)

// AutoAction is what Auto did.
type AutoAction string

// The actions.
const (
	AutoNothing   AutoAction = "nothing"   // Why says why not
	AutoEdited    AutoAction = "edited"    // a step of edits, and no compaction
	AutoCompacted AutoAction = "compacted" // a compaction, with the edits that it includes or that came first
	AutoRefused   AutoAction = "refused"   // a compaction was due and was not made
)

// AutoResult says what Auto did, and why.
type AutoResult struct {
	Action AutoAction `json:"action"`
	// Trigger is the reason of the compaction that was due, as the policy names it; "" where none was.
	Trigger string     `json:"trigger,omitempty"`
	Why     string     `json:"why"`
	Edited  EditedView `json:"edited"`
	// Compaction is what came of the compaction that was due; nil where none was.
	Compaction *CompactionPlan `json:"compaction,omitempty"`
	// Fallback says why a mode with a model was configured and none was asked.
	Fallback string `json:"fallback_reason,omitempty"`
}

// Auto does what the policy requires now: nothing, a step of edits, or a compaction. Edits come first: if they bring
// the view below its threshold, no compaction follows. They are of no use to a caller that does not send the view
// (r.NoEdits): for it, one is due by the view as it is. A mode with a model runs in this process with the author that
// open returns. If there is none (open may be nil) or it fails, Auto uses the deterministic mode. A model that needs a
// person's permission is an error. The result always says why.
//
// Errors: those of EditView and of Compact; denied from open. With r.DryRun nothing changes, and no author is asked.
func Auto(ctx context.Context, api Shrinker, r AutoRequest, open OpenAuthor) (AutoResult, error) {
	key := r.Key
	r.Key = stepKey(key, "edits")
	made, err := api.EditView(ctx, r.EditViewRequest)
	if err != nil {
		return AutoResult{}, err
	}
	out := AutoResult{Action: AutoNothing, Why: made.Due.Why, Edited: made, Trigger: made.Due.Reason}
	if len(made.Edits) > 0 {
		out.Action, out.Why = AutoEdited, made.Why+"; "+made.Due.Why+made.Due.Without()
	}
	if made.Due.Reason == "" {
		return out, nil
	}
	p := PlanCompactionRequest{Session: made.Session, Reader: r.Reader, Options: r.Options}
	p.Options.Mode, p.Options.Reason, p.Options.Model = made.Mode, made.Due.Reason, cmp.Or(r.Options.Model, r.Model)
	p.Options.KeepTail, p.Options.Keep = r.NoEdits, cmp.Or(r.Options.Keep, made.Keep)
	plan, err := out.compact(ctx, api, p, stepKey(key, "compact"), r.DryRun, open)
	if err != nil {
		return out, err
	}
	out.Compaction = &plan
	if plan.Outcome == compaction.Compacted {
		out.Action, out.Why = AutoCompacted, made.Due.Why
	} else {
		out.Action, out.Why = AutoRefused, made.Due.Why+"; not compacted: "+plan.Why
	}
	return out, nil
}

// compact makes the compaction that is due, without a model if none is available.
func (out *AutoResult) compact(ctx context.Context, api Shrinker, p PlanCompactionRequest, key string, dryRun bool,
	open OpenAuthor) (CompactionPlan, error) {
	if !p.Options.Mode.Asks() {
		return Compact(ctx, api, p, key, dryRun)
	}
	var author Author
	why := "no model can be asked here"
	if open != nil {
		a, sections, err := open(ctx)
		if fault.Is(err, fault.Denied) {
			return CompactionPlan{}, err // only a person can decide: no fallback
		}
		if err != nil {
			why = err.Error()
		}
		author, p.Options.Preset = a, sections
	}
	if author == nil {
		out.Fallback = fmt.Sprintf("mode %s is configured: %s", p.Options.Mode, why)
		p.Options.Mode, p.Options.Preset = compaction.Intent, ""
		return Compact(ctx, api, p, key, dryRun)
	}
	return CompactBy(ctx, api, p, key, dryRun, author)
}

// stepKey derives the key of one step of a request that takes several.
func stepKey(key, name string) string {
	if key == "" {
		return ""
	}
	return key + ":" + name
}

// Sizes describes how a compaction or a step changed the size of the view; "" without either.
func (out AutoResult) Sizes() string {
	switch {
	case out.Action == AutoCompacted:
		return out.Compaction.Summary.Became()
	case len(out.Edited.Edits) > 0:
		return fmt.Sprintf("%s → %s tokens by %s edits", out.Edited.TokensBefore, out.Edited.TokensAfter,
			chars.Commas(len(out.Edited.Edits)))
	}
	return ""
}
