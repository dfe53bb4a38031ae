package window

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
)

// Situation describes a session for the decision whether a compaction is due. Tokens are those of the model.
type Situation struct {
	Window int
	Model  string
	View   int // of the whole request that would be sent now
	Most   int // an upper bound of View; 0: View is exact
	Fixed  int // of View, what no compaction reduces: the parts of every request, the newest answer
	Turns  int // in the view
	// What the agent used in the last turn, and all since the last accepted compaction.
	TurnInput, Input int

	Cold     bool // the provider has nothing of the view in its cache
	Overflow bool // the provider refused the request because of its size
	Trimmed  bool // the last request went through only because it was trimmed
	Asked    bool // the agent asks whether one is due
	Manual   bool // a person did
	Grace    bool // the last turn was the first after a compaction
	Attempts []Attempt
	// Shown returns a size of the whole request, or a limit of it, in the measure of what is shown, for words. nil: as it is.
	Shown func(request int) int
}

// NotYet answers an agent that asks before a compaction is due. Other programs match this exact text.
const NotYet = "Nothing to compact yet — conversation is within the token budget."

// Trigger is why a compaction is due, or why it is not although it would be.
type Trigger struct {
	Reason string `json:"reason,omitempty"` // as it is recorded; "" where none is due
	Why    string `json:"why"`
	// Suppressed is set if a compaction would be due, but would change too little to be repeated now.
	Suppressed bool `json:"suppressed,omitempty"`
	// Grace is set if one would be due, but the last one was made in the turn before.
	Grace bool `json:"grace,omitempty"`
	// Held is the reason of what Suppressed or Grace hold back.
	Held string `json:"held,omitempty"`
	// Averted says why one would be due without the edits that are made first, if they are enough; "": it would not.
	Averted string `json:"averted,omitempty"`
}

// Without says in words, to follow others, what Averted is; "" without that.
func (t Trigger) Without() string {
	if t.Averted == "" {
		return ""
	}
	return "; without these edits a compaction would be due: " + t.Averted
}

// trigger is one reason for a compaction.
type trigger struct {
	reason string
	due    func(TriggerPolicy, Situation) bool
	why    func(TriggerPolicy, Situation) string
	// What holds it back.
	grace, thrash bool
}

// ReasonManual is the reason that is a person's request, and not the policy's.
const ReasonManual = "manual"

// Reasons that callers act on.
const (
	ReasonExceeded   = "context_exceeded"
	ReasonCumulative = "cumulative_budget"
	ReasonTurn       = "single_turn_limit"
	ReasonTurns      = "window_size"
)

// Automatic reports whether a reason is one of the policy's, without a request.
func Automatic(reason string) bool {
	return reason != ReasonManual &&
		slices.ContainsFunc(triggers, func(t trigger) bool { return t.reason == reason })
}

// triggers are all there are; the first that is due is the reason.
var triggers = []trigger{
	{ReasonTurn, func(t TriggerPolicy, s Situation) bool { return t.SingleTurn > 0 && s.TurnInput > t.SingleTurn },
		func(t TriggerPolicy, s Situation) string {
			return over("the turn's input", s.TurnInput, t.SingleTurn)
		}, false, false},
	{ReasonTurn, func(t TriggerPolicy, s Situation) bool { return t.SingleTurn > 0 && s.View > t.SingleTurn },
		func(t TriggerPolicy, s Situation) string { return s.over("the limit", s.View, t.SingleTurn) }, true, true},
	{ReasonExceeded, func(_ TriggerPolicy, s Situation) bool { return s.Overflow },
		func(TriggerPolicy, Situation) string {
			return "the provider refused the request because of its size"
		}, false, false},
	{ReasonExceeded, func(_ TriggerPolicy, s Situation) bool { return s.Trimmed },
		func(TriggerPolicy, Situation) string {
			return "the last request fitted only because it was trimmed"
		}, false, false},
	{"threshold", func(t TriggerPolicy, s Situation) bool { return t.over(s, t.Threshold(s.Window)) },
		func(t TriggerPolicy, s Situation) string {
			return s.over("the limit", s.View, t.Threshold(s.Window))
		}, true, true},
	{"threshold", func(t TriggerPolicy, s Situation) bool { return max(s.View, s.Most) > t.Limit(s.Window) },
		func(t TriggerPolicy, s Situation) string {
			return s.over("the limit", max(s.View, s.Most), t.Limit(s.Window))
		}, true, true},
	{"cache_expired", func(t TriggerPolicy, s Situation) bool { return s.Cold && t.over(s, t.idle(s.Window)) },
		func(t TriggerPolicy, s Situation) string {
			return s.over("the limit once the provider's cache has expired", s.View, t.idle(s.Window))
		}, true, true},
	{ReasonTurns, func(t TriggerPolicy, s Situation) bool { return t.Turns > 0 && s.Turns >= t.Turns },
		func(t TriggerPolicy, s Situation) string {
			return fmt.Sprintf("the view has %d turns, but only %d are allowed", s.Turns, t.Turns)
		}, true, true},
	{ReasonCumulative, func(t TriggerPolicy, s Situation) bool { return t.CutoverAt > 0 && s.Input >= t.CutoverAt },
		func(t TriggerPolicy, s Situation) string {
			return over("the input since the last compaction", s.Input, t.CutoverAt)
		}, true, false},
	{ReasonManual, func(_ TriggerPolicy, s Situation) bool { return s.Manual },
		func(TriggerPolicy, Situation) string { return "it was asked for" }, false, false},
}

// over reports whether a request is over a limit, and a compaction has enough in reach.
func (t TriggerPolicy) over(s Situation, limit int) bool {
	return s.View > limit && float64(s.View-s.Fixed) >= t.Gain*float64(limit)
}

// over says that the request, whose size is an estimate unless View is exact, is over a limit, by what that is called.
func (s Situation) over(limited string, size, limit int) string {
	has := s.shown(size)
	if s.Most > s.View && !strings.HasPrefix(has, chars.Mark) {
		has = chars.Mark + has
	}
	return fmt.Sprintf("the request has %s tokens, and %s is %s", has, limited, s.shown(limit))
}

// shown says a size of the whole request in the measure of what is shown.
func (s Situation) shown(request int) string {
	if s.Shown == nil {
		return chars.Commas(request)
	}
	return inMeasure(request, s.Shown)
}

// inMeasure says a figure in another measure: marked where that makes it an estimate.
func inMeasure(n int, of func(int) int) string {
	shown := of(n)
	if shown == n {
		return chars.Commas(n)
	}
	return chars.Mark + chars.Commas(shown)
}

func over(what string, n, limit int) string {
	return fmt.Sprintf("%s has %s tokens, the limit is %s", what, chars.Commas(n), chars.Commas(limit))
}

// Due reports whether a compaction is due, and why.
func (t TriggerPolicy) Due(s Situation) Trigger {
	held := Trigger{Why: "the view is within its limits"}
	if s.Asked {
		held.Why = NotYet
	}
	for _, row := range triggers {
		switch {
		case !row.due(t, s) || t.Off && Automatic(row.reason) && row.reason != ReasonExceeded:
		case row.grace && s.Grace && !s.grown():
			held = Trigger{Grace: true, Held: row.reason, Why: row.why(t, s) + "; the turn after a compaction " +
				"is spared"}
		case row.thrash && t.Suppressed(s):
			held = Trigger{Suppressed: true, Held: row.reason, Why: fmt.Sprintf("%s; the last %d compactions "+
				"saved less than %.0f%% each, so it waits until the view has %s tokens",
				row.why(t, s), t.ThrashWindow, 100*t.ThrashRatio, s.shown(s.Rearmed()))}
		default:
			return Trigger{Reason: row.reason, Why: row.why(t, s)}
		}
	}
	return held
}

// LimitsInput reports whether anything is due or warned of because of the input that an agent took.
func (t TriggerPolicy) LimitsInput() bool { return t.WarnAt > 0 || t.CutoverAt > 0 || t.SingleTurn > 0 }

// Warns reports whether to warn an agent that its input comes near its limit.
func (t TriggerPolicy) Warns(s Situation) bool { return t.WarnAt > 0 && s.Input >= t.WarnAt }
