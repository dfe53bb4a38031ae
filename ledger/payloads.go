package ledger

import (
	"ctxledger.dev/compaction"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

// The payloads of events, one struct a kind: Event.Data is its JSON. Sizes are tokens of the model that the
// decision was made for.

// Sizes is what a decision made of the view, in tokens.
type Sizes struct {
	Before   int  `json:"tokens_before"`
	After    int  `json:"tokens_after"`
	Estimate bool `json:"estimate,omitempty"` // the model's own tokenizer is not known
}

// CompactionMade is the payload of EventCompaction.
type CompactionMade struct {
	Sizes
	Previous       string          `json:"prev_id,omitempty"`
	Reason         string          `json:"reason"` // the trigger, or what the caller said
	ModeRequested  compaction.Mode `json:"mode_requested"`
	ModeUsed       compaction.Mode `json:"mode_used"`
	Fallback       string          `json:"fallback_reason,omitempty"` // why a model's summary was not taken
	FromTurn       int             `json:"from_turn"`
	ToTurn         int             `json:"to_turn"`
	TurnsRetained  int             `json:"turns_retained"`
	MessagesBefore int             `json:"messages_before"`
	MessagesAfter  int             `json:"messages_after"`
	Savings        float64         `json:"savings_ratio"`
	Window         int             `json:"window,omitempty"` // of the model; 0: unknown
	Threshold      int             `json:"threshold"`
	SummaryTokens  int             `json:"summary_tokens"`
	Cost           *Cost           `json:"cost,omitempty"` // of having a model write
}

// Cost is what asking a model took.
type Cost struct {
	Model   string         `json:"model,omitempty"`
	Usage   sessions.Usage `json:"usage"`
	Calls   int            `json:"attempts"`
	Shrinks int            `json:"shrink_retries,omitempty"`
	Dollars *float64       `json:"cost_usd,omitempty"` // by the model's list price; nil: not known
}

// CompactionSkipped is the payload of EventSkipped: a compaction that was tried without effect, or that was due and
// not tried.
type CompactionSkipped struct {
	Sizes
	Reason  string             `json:"reason"` // the trigger
	Outcome compaction.Outcome `json:"outcome"`
	Why     string             `json:"why"`
	Counted int                `json:"o200k_tokens"`    // of the view, whatever the model
	Model   string             `json:"model,omitempty"` // whose tokens the sizes are
	Window  int                `json:"window,omitempty"`
	Cost    *Cost              `json:"cost,omitempty"`
}

// CompactionSuppressed is the payload of EventSuppressed: compactions that change little wait.
type CompactionSuppressed struct {
	Reason string    `json:"reason"` // the trigger that would be due
	Why    string    `json:"why"`
	Ratios []float64 `json:"ratios"`       // what the last ones saved, oldest first
	Until  int       `json:"until_tokens"` // the view's size from which on they run again
}

// CompactionFailed is the payload of EventFailed: a model was asked to write, and its text was not used.
type CompactionFailed struct {
	Reason      string            `json:"reason"`
	Mode        compaction.Mode   `json:"mode"` // that was asked for
	Class       compaction.Status `json:"error_class"`
	Why         string            `json:"why"`
	Cost        *Cost             `json:"cost,omitempty"`
	ViewChanged bool              `json:"view_changed"` // the deterministic document was used
}

// CompactionRestored is the payload of EventRestore.
type CompactionRestored struct {
	Sizes
	To string `json:"to_id,omitempty"` // the summary in effect from then on
}

// EditsMade is the payload of the events about a step of edits: EventCleared, EventTruncated and
// EventTrimmedInTurn, each about the edits of its passes. Rewritten is that of the whole step.
type EditsMade struct {
	Reason    string       `json:"reason"`
	Before    int          `json:"view_before"` // tokens of the view before the step
	After     int          `json:"view_after"`  // and after it
	Estimate  bool         `json:"estimate,omitempty"`
	Count     int          `json:"count"`
	Freed     int          `json:"tokens_freed"`
	Rewritten int          `json:"prefix_invalidated_tokens"`
	Passes    []PassEdits  `json:"passes"`
	Items     []EditedItem `json:"items"` // the most expensive, at most 20
}

// PassEdits is what one pass did in a step.
type PassEdits struct {
	Pass  string `json:"pass"`
	Count int    `json:"count"`
	Freed int    `json:"tokens_freed"`
}

// EditedItem is one edit of a step.
type EditedItem struct {
	Entry int64  `json:"entry"`
	Call  string `json:"call_id,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Freed int    `json:"tokens_freed"`
}

// ReasonResumed is the reason of a BudgetWarning about a session that continues after a pause.
const ReasonResumed = "resumed"

// ReasonSpent is the reason of a BudgetWarning about one of the limits of the configuration.
const ReasonSpent = "spent"

// BudgetWarning is the payload of EventBudgetWarn and EventCutover: what an agent has taken since the last
// compaction, or what a session holds that continues after a pause.
type BudgetWarning struct {
	Agent     string `json:"agent,omitempty"` // "": the main conversation
	Reason    string `json:"reason,omitempty"`
	Input     int    `json:"cumulative_input_tokens,omitempty"`
	Turn      int    `json:"input_tokens,omitempty"` // of the turn, where that is the reason
	WarnAt    int    `json:"warn_at,omitempty"`
	CutoverAt int    `json:"cutover_at,omitempty"`
	Held      int    `json:"held_tokens,omitempty"` // by the agent's window, where it was resumed
	Threshold int    `json:"threshold,omitempty"`   // of Held
	Estimate  bool   `json:"estimate,omitempty"`    // Input, Turn or Held were not measured
	// Spent is the limit of the configuration that is near or reached, where the reason is ReasonSpent.
	Spent *Spent `json:"spent,omitempty"`
}

// CapWarning is the payload of EventCapWarning: the view has nearly as many messages as are shown.
type CapWarning struct {
	Agent    string  `json:"agent,omitempty"` // whose view it is; "": the session's own
	Count    int     `json:"count"`
	Cap      int     `json:"cap"`
	Fraction float64 `json:"fraction"`
}

// ViewFiltered is the payload of EventFiltered: what the policy of an agent leaves out of its view.
type ViewFiltered struct {
	Agent string `json:"agent,omitempty"` // "": the session's own
	window.Filtered
}

// ViewRepaired is the payload of EventRepaired: what makes a view valid for its provider.
type ViewRepaired struct {
	Agent string `json:"agent,omitempty"`
	window.Repairs
}

// LayerError is the payload of EventLayerError: a pass could not look at a message, which stays as it is.
type LayerError struct {
	Layer   string `json:"layer"`
	Entry   int64  `json:"entry"`
	Message string `json:"message_id"`
	Error   string `json:"error"`
}

// ContextOverflow is the payload of EventOverflow.
type ContextOverflow struct {
	overflow.Verdict
	Place     overflow.Place  `json:"at"`
	NumCtx    int             `json:"num_ctx,omitempty"`
	Estimate  int             `json:"our_estimate"`
	Action    overflow.Action `json:"action"`
	OutputCap int             `json:"lower_output_to,omitempty"`
}

// WindowLearned is the payload of EventWindowLearned.
type WindowLearned struct {
	overflow.Place
	Lesson  overflow.Lesson `json:"lesson"`
	Named   int             `json:"named"` // what the error says
	Old     int             `json:"old_window,omitempty"`
	New     int             `json:"new_window,omitempty"`
	Pattern string          `json:"pattern_id"`
}

// RequestTrimmed is the payload of EventTrimmed: a smaller copy of a request was made. Nothing of it is
// recorded as an edit; the next evaluation compacts.
type RequestTrimmed struct {
	Stage   int    `json:"stage"`
	Before  int    `json:"chars_before"`
	After   int    `json:"chars_after"`
	Reason  string `json:"reason"`
	Outcome string `json:"outcome"`
}

// StrategySpec is the value of ContextAssembly.Strategy: from declared sources.
const StrategySpec = "artifact_spec"

// ContextAssembly is the payload of EventAssembly: what an agent was given. Members that other programs set and ctxledger
// has nothing for are left out.
type ContextAssembly struct {
	Agent        string   `json:"agent"`
	From         string   `json:"from,omitempty"` // who hands its work over
	Artifacts    int      `json:"artifacts"`      // sources with content
	ContextChars int      `json:"context_chars"`
	MS           int64    `json:"assembly_ms"`
	Strategy     string   `json:"context_strategy"`
	Declared     []string `json:"declared_sources"`
	Empty        []string `json:"empty_sources"`
}
