package window

import (
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/tokens"
)

// Policy limits how much of a conversation a model sees. Sizes are in characters (Unicode code points), tokens are
// those of the model, and 0 or an empty list switches a rule off. Default applies where nothing else is
// configured.
type Policy struct {
	Filter

	// ResultChars bounds a result; ResultCharsOf does so for single tools, by their names in lower
	// case, 0 for no bound.
	ResultChars   int
	ResultCharsOf map[string]int
	// UserChars bounds a message of the user.
	UserChars int
	// ReplayChars bounds the words of an earlier answer.
	ReplayChars int

	// BatchChars is how much superseded content has to accumulate before it is rewritten at all.
	BatchChars int
	// UserSet, ReplaySet and BatchSet: the user set the bound. It is obeyed then; a default waits until obeying it pays.
	UserSet, ReplaySet, BatchSet bool

	// OldWords shortens the words of answers that make calls, and long texts in the arguments of their
	// calls. What reads them back is the handle of their whole message, so it is off unless asked for.
	OldWords bool

	// ToolPairs bounds the units of calls and results in the view. When there are more, a quarter of it
	// goes at once, at least.
	ToolPairs int
	// InTurnTokens bounds what all results and notes take together.
	InTurnTokens int

	// ReadOnly are further tools whose calls change nothing, besides the known ones.
	ReadOnly []string

	Evict     EvictPolicy
	Clear     ClearPolicy
	Arguments ArgumentPolicy
	Compact   TriggerPolicy
	Keep      settings.Keep // of a compaction
}

// Filter selects messages to leave out.
type Filter struct {
	TextOnly bool // no calls and no results
	// ExcludeAgents are authors whose messages go, without regard to case; results go with them. A
	// message without an author counts as of "Unknown".
	ExcludeAgents []string
	Turns         int     // the newest turns that stay
	Messages      int     // the newest messages that stay, besides pinned ones
	CapFraction   float64 // share of Messages above which a warning is due
	// Exact moves the bounds with each message, as some hosts expect. Without it they move in steps,
	// so that the provider's cache holds in between.
	Exact bool
}

// Empty reports whether the filter leaves nothing out.
func (f Filter) Empty() bool {
	return !f.TextOnly && len(f.ExcludeAgents) == 0 && f.Turns <= 0 && f.Messages <= 0
}

// EvictPolicy bounds all results together before old ones are evicted.
type EvictPolicy struct {
	MaxTokens int // of all results; 0: no bound
	Window    int // newest results that stay, unless they alone are more than the maximum
}

// ClearPolicy says when old results are cleared.
type ClearPolicy struct {
	Trigger float64 // share of the compaction threshold above which they are; 0: never
	Keep    int     // newest results that stay; 0: keepResults, or keepFew in a small window
	// AtLeast is how many tokens a clearing has to free; 0: a fifth of the compaction threshold, 3,000 at least, and a
	// twentieth of it where Trigger is set.
	AtLeast int
	Exclude []string
	Only    []string // if not empty, only results of these tools are cleared
	Inputs  bool     // the arguments of cleared calls go as well
	Set     bool     // the user set Trigger, as of UserSet
}

// ArgumentPolicy says when long arguments of old writes are truncated.
type ArgumentPolicy struct {
	Trigger float64  // share of the window from which on they are; 0: never
	Keep    float64  // share of the window whose newest messages keep theirs
	Over    int      // characters above which a text argument is truncated
	Tools   []string // that write much, besides those that write and patch files
	Set     bool     // the user set Trigger, as of UserSet
}

// TriggerPolicy says when a compaction is due.
type TriggerPolicy struct {
	Fraction   float64 // share of the window
	Idle       float64 // share of the threshold that applies when the provider's cache has expired; 0: all
	Gain       float64 // share of either that has to be in reach of a compaction, so that it is worth one
	Reserve    int     // tokens kept free for an answer
	Effective  int     // tokens: an absolute bound, since quality decays long before a large window is full
	MaxContext int     // tokens of a whole request: none is sent with more
	MaxPayload int     // bytes of its body, the same
	Turns      int     // turns in the view
	SingleTurn int     // input tokens of one turn
	WarnAt     int     // input tokens of an agent since the last compaction: a warning
	CutoverAt  int     // the same: a compaction
	// CountCached has WarnAt and CutoverAt count all input of each request, also what its provider read from a cache.
	CountCached bool
	// Window is that of the model, in tokens; 0: as it is known.
	Window int
	// Mode is how a compaction that is due is made; "": as compaction does by default.
	Mode string
	// NoModel has no model write, whatever Mode says.
	NoModel bool
	// Off has nothing due by itself but what follows an overflow.
	Off bool
	// Reasoning adds excerpts of the model's reasoning to the documents of compactions.
	Reasoning bool
	// Symbols has documents list what written files define and use.
	Symbols bool
	// NoReads has documents leave out which files were read and not changed.
	NoReads bool
	// NoRouting does not repeat the routing signal behind what a compaction keeps.
	NoRouting bool
	// PromptChars bounds a message in a model's brief, in characters.
	PromptChars int
	// NoRecovery has overflows classified and learned from, and nothing tried.
	NoRecovery bool
	// A compaction that changes little is not repeated: see Suppressed.
	ThrashWindow int
	ThrashRatio  float64
}

// Default returns the policy that applies where nothing else is configured.
func Default() Policy {
	return Policy{
		UserChars:   200_000,
		ReplayChars: 2_000,
		BatchChars:  65_536,
		Evict:       EvictPolicy{Window: 20},
		Clear:       ClearPolicy{Trigger: 0.60},
		Arguments:   ArgumentPolicy{Trigger: 0.85, Keep: 0.10, Over: 2_000},
		Compact: TriggerPolicy{Fraction: 0.40, Effective: 80_000, Idle: 0.50, Gain: 0.50, Reserve: 20_000,
			Turns: 50, ThrashWindow: 3, ThrashRatio: 0.10, PromptChars: 8_000},
		Keep: settings.DefaultKeep,
	}
}

// unknownWindow is assumed for a model whose window is unknown, in tokens.
const unknownWindow = 130_000

// Limit returns the number of tokens above which a request leaves no space for its answer: the window without the
// reserve.
func (t TriggerPolicy) Limit(window int) int {
	if window <= 0 {
		return unknownWindow
	}
	reserve := t.Reserve
	if 2*reserve >= window {
		reserve = max(1_024, window/3)
	}
	return max(window-reserve, 0)
}

// Threshold returns the number of tokens above which a compaction is due: what the share of the
// window, the reserve and the effective window allow, whichever is least.
func (t TriggerPolicy) Threshold(window int) int {
	limit := t.Limit(window)
	if window > 0 && t.Fraction > 0 {
		limit = min(limit, int(t.Fraction*float64(window)))
	}
	if usable := t.Usable(); usable > 0 {
		limit = min(limit, usable)
	}
	return limit
}

// Usable returns how much of any window is to be used at most, in tokens; 0: all of it.
func (t TriggerPolicy) Usable() int {
	if t.MaxContext > 0 && (t.Effective == 0 || t.MaxContext < t.Effective) {
		return t.MaxContext
	}
	return t.Effective
}

// idle is Threshold where the provider's cache has expired.
func (t TriggerPolicy) idle(window int) int {
	if t.Idle <= 0 {
		return t.Threshold(window)
	}
	return int(min(t.Idle, 1) * float64(t.Threshold(window)))
}

// Rates are what a provider asks for a token of input, in any unit: only their relations count.
type Rates struct {
	Read  float64 // from its prompt cache
	Write float64 // into it
}

// RatesOf returns the rates of a model's price. Unknown prices are assumed to have the usual relation. long is set
// if what is written into the cache stays there for an hour.
func RatesOf(p tokens.Price, long bool) Rates {
	r := Rates{Read: 0.1, Write: 1.25}
	input, known := p.Input.PerMillion()
	if !known || input == 0 {
		return r
	}
	if read, known := p.CachedRead.PerMillion(); known {
		r.Read = read / input
	}
	write, _ := p.CachedWrite.PerMillion() // where writing is not priced apart, it is input
	if r.Write = max(write/input, 1); long && r.Write > 1 {
		r.Write = tokens.LongWrite
	}
	return r
}
