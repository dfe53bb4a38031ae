package compaction

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

// A Summarizer calls a model, in the caller's process and with the caller's credentials. The clients of package
// llm are Summarizers.
type Summarizer interface {
	// Summarize makes one request without retries. Errors: too_large if the prompt does not fit the model's
	// window, upon which the caller retries with less text; any other error ends the attempt. The reply's usage
	// counts even with an error.
	Summarize(ctx context.Context, p Prompt) (Reply, error)
	// Limits returns the model's window and how much of an answer may be asked for, in tokens;
	// 0: unknown.
	Limits() (window, output int)
}

// Prompt is one request to a model.
type Prompt struct {
	System string // what it is to do
	Text   string // the one message of the user
	Output int    // tokens of the answer at most
}

// Reply is what a model answered.
type Reply struct {
	Text  string
	Model string // which one it was, as it says itself
	Usage sessions.Usage
	Cut   bool // the answer ended because it reached its limit
}

// Answer is what came of asking a model for the summary of a plan, or a summary that somebody supplies.
type Answer struct {
	Text string `json:"text,omitempty"`
	// Turn summarises the first part of a turn that the boundary splits.
	Turn string `json:"turn,omitempty"`
	// FirstKept and Range are those of the Brief: for what the summary was written.
	FirstKept int64  `json:"first_kept"`
	Range     string `json:"range"`
	Run       Run    `json:"run"`
}

// Run says how asking a model went, and what it cost. It is kept in the record, whatever came of it.
type Run struct {
	Status  Status         `json:"status"`
	Reason  string         `json:"reason,omitempty"` // in words, for every status but accepted
	Model   string         `json:"model,omitempty"`
	Calls   int            `json:"calls"`             // requests, failed ones included
	Shrinks int            `json:"shrinks,omitempty"` // of them, how many were smaller repetitions after an overflow
	Usage   sessions.Usage `json:"usage"`             // of all calls together
	// Estimated says that some call did not report what it used: it is then estimated by o200k_base.
	Estimated bool `json:"estimated,omitempty"`
	Removed   int  `json:"removed,omitempty"` // statements that the ledger refutes
	Marked    int  `json:"marked,omitempty"`  // statements that nothing in the ledger backs
}

// Spent is what the run used. It may be called on nil, as when no model was asked.
func (r *Run) Spent() sessions.Usage {
	if r == nil {
		return sessions.Usage{}
	}
	return r.Usage
}

// Cost is Spent for a log entry: nil for nothing.
func (r *Run) Cost() *sessions.Usage {
	if u := r.Spent(); u != (sessions.Usage{}) {
		return &u
	}
	return nil
}

// Bill is Spent as what was charged for it.
func (r *Run) Bill() sessions.Bill {
	if r == nil {
		return nil
	}
	return sessions.Bill{{Model: r.Model, Usage: r.Usage}}
}

// String describes the run in one line, "" for none: "a model's summary was not used (failed): …".
func (r *Run) String() string {
	switch {
	case r == nil:
		return ""
	case r.Status == Accepted:
		return "a model's summary was used: " + cmp.Or(r.Model, "of a model without a name")
	}
	return "a model's summary was not used (" + string(r.Status) + "): " + r.Reason
}

// Corrections says what was done to the model's statements, "" for nothing.
func (r *Run) Corrections() string {
	var parts []string
	if r.Removed > 0 {
		parts = append(parts, chars.Plural(r.Removed, "statement")+
			" of the model removed, as refuted by the ledger")
	}
	if r.Marked > 0 {
		parts = append(parts, fmt.Sprintf("%d marked as not backed by the ledger", r.Marked))
	}
	return strings.Join(parts, "; ")
}

// Status is what became of a model's summary.
type Status string

// The statuses. With every status but Accepted the deterministic document is used.
const (
	Accepted Status = "accepted"
	Empty    Status = "empty"        // it said nothing
	Failed   Status = "failed"       // the model could not be asked
	TooLong  Status = "not_smaller"  // it is no shorter than what it replaces
	Refuted  Status = "refuted"      // the ledger refutes all that it says
	Unfit    Status = "does_not_fit" // it does not fit with what must be kept
)

// checkAsking refuses options that a mode with a model cannot have.
func (o *Options) checkAsking() error {
	const op = "compaction.plan"
	switch {
	case o.Strict:
		return fault.New(fault.Invalid, op, "mode %s is not reproducible: strict refuses it", o.Mode).
			WithHint("mode %s always produces the same text from the same session", Intent)
	case o.Whole:
		return fault.New(fault.Invalid, op, "the document of a whole session is made without a model: mode %s "+
			"cannot write it", o.Mode)
	}
	_, err := settings.PresetOf(o.Preset)
	return err
}

// reserve returns how much of a window is left free for an answer, in tokens.
func reserve(window, output int) int {
	const most, least, unknown = 20_000, 1_024, 20_000
	if output <= 0 {
		output = unknown
	}
	r := min(most, output)
	if window > 0 && 2*r >= window {
		r = max(least, window/3)
	}
	return r
}

// stale says that a summary was written for another range than the one that there is now.
func staleAnswer() error {
	return fault.New(fault.Stale, "compaction.finish", "the summary was written for another range: the session "+
		"was rewound, compacted or changed in the meantime").
		WithHint("plan again")
}
