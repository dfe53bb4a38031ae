package compaction

import (
	"time"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/sessions"
)

// Mode is a way to compact, see package settings.
type Mode = settings.Mode

// The modes.
const (
	Intent   = settings.Intent
	Window   = settings.Window
	LLM      = settings.LLM
	Hybrid   = settings.Hybrid
	Lossless = settings.Lossless
)

// Options say how to compact. The zero value means the defaults of a caller that just asks.
type Options struct {
	Mode Mode `json:"mode,omitempty"` // default Intent
	// Budget bounds the summary, in tokens of Model. 0: 10% of the window, at most 8,000.
	// In window mode it bounds the whole view instead (0: 80,000).
	Budget int `json:"budget,omitempty"`
	Keep   int `json:"keep,omitempty"` // turns kept verbatim; 0: as many as the keep rule says
	// Whole keeps nothing verbatim: the document is for a new chat, which has none of the messages.
	// It names the session as its handle and cannot be accepted.
	Whole bool `json:"whole,omitempty"`
	// KeepTail leaves what is kept verbatim as it is: for callers that put the summary into messages of
	// their own. Otherwise edits that waited for an occasion come along.
	KeepTail bool     `json:"keep_tail,omitempty"`
	Pin      []string `json:"pin,omitempty"`    // message ids, or texts, that stay verbatim
	Focus    string   `json:"focus,omitempty"`  // words that raise the worth of what names them
	Notes    string   `json:"notes,omitempty"`  // the agent's own notes: kept as claims
	Model    string   `json:"model,omitempty"`  // counts are those of this model; "": the session's
	Strict   bool     `json:"strict,omitempty"` // refuse anything that is not reproducible
	Reason   string   `json:"reason,omitempty"` // why: Manual, AgentRequested, what makes it due, or a caller's words
	// Asked says that nothing but a request asks for it, whatever its reason.
	Asked bool `json:"asked,omitempty"`
	// Preset names the sections of a model's summary: default, deepagents, pi or none.
	Preset string `json:"sections,omitempty"`
	// Reasoning keeps excerpts of the model's reasoning. Off by default: read as a user's words, thoughts
	// confuse models that reason.
	Reasoning bool `json:"reasoning,omitempty"`
	// Symbols lists what written files define, and what they use of each other.
	Symbols bool `json:"symbols,omitempty"`
	// NoReads leaves out which files were read and not changed.
	NoReads bool `json:"no_reads,omitempty"`
	// NoRouting does not repeat the routing signal at the end of the view, see Record.Resume.
	NoRouting bool `json:"no_routing,omitempty"`
	// PromptChars bounds a message in a model's brief, in characters. 0: 8,000; less: it is not bounded by itself.
	PromptChars int `json:"prompt_chars,omitempty"`
}

// promptChars returns the bound of a message in a brief.
func (o Options) promptChars() int {
	switch {
	case o.PromptChars < 0:
		return briefBytes
	case o.PromptChars == 0:
		return messageChars
	}
	return o.PromptChars
}

// The reasons of compactions that nothing but a request asks for.
const (
	Manual         = "manual"          // a person's
	AgentRequested = "agent_requested" // a model's
)

// requested reports whether nothing but a request asks for the compaction.
func (o Options) requested() bool { return o.Asked || o.Reason == Manual || o.Reason == AgentRequested }

// Record is an accepted compaction, as stored in the log.
type Record struct {
	ID        string `json:"id"` // 12 hex digits, see naming.go
	Session   string `json:"session"`
	Previous  string `json:"previous,omitempty"`       // the record that was current before
	Mode      Mode   `json:"mode"`                     // what the summary is
	Requested Mode   `json:"mode_requested,omitempty"` // what was asked for, when a model was
	Run       *Run   `json:"run,omitempty"`            // how asking the model went
	// Usage is that of the replaced messages and of writing the summary, together. The engine sums it up.
	Usage  *sessions.Usage `json:"usage,omitempty"`
	Reason string          `json:"reason,omitempty"`
	// Model is the one whose window counted, and Window that, in tokens; 0: unknown. The engine fills them in.
	Model     string `json:"model,omitempty"`
	Window    int    `json:"window,omitempty"`
	From      int64  `json:"from"`       // first entry that the summary replaces: always that of the log
	To        int64  `json:"to"`         // last one
	FirstKept int64  `json:"first_kept"` // first entry kept verbatim; To+1 when none exists yet
	TurnFrom  int    `json:"turn_from"`
	TurnTo    int    `json:"turn_to"`
	Budget    int    `json:"budget,omitempty"` // that bound the summary, in tokens; in window mode the whole view
	Before    int    `json:"tokens_before"`    // of the whole view, o200k_base
	After     int    `json:"tokens_after"`
	// Figures are these sizes for Model, from the engine; nil: of an older version.
	Figures  *Counted `json:"figures,omitempty"`
	TextHash string   `json:"text_hash"`      // SHA-256 of the summary's text
	Text     string   `json:"text,omitempty"` // the summary, if it is short enough
	TextBlob string   `json:"text_blob,omitempty"`
	// Shown is what readers other than the agent see in the place of the text, where that was made from exact
	// words: by a version before schema 3. "": the text itself.
	Shown string `json:"shown,omitempty"`
	// Resume is the message of the user's role with which the view ends after it: the routing signal of the last handoff
	// call, where what is kept verbatim lacks that. "": there is none.
	Resume   string    `json:"resume,omitempty"`
	Created  time.Time `json:"created"`
	Cut      []Cut     `json:"cut,omitempty"` // what left the view, dearest first, at most 50
	CutTotal int       `json:"cut_total"`
}

// Cut is one thing that left the view, with the way back to it.
type Cut struct {
	Kind   string `json:"kind"`  // "result", "message", "turn"
	Label  string `json:"label"` // "Read src/a.go"
	Seq    int64  `json:"seq"`
	Tokens int    `json:"tokens"` // o200k_base
	Handle string `json:"handle"` // what `ctxledger artifact read` and read_artifact resolve
}

// Outcome is how a request to compact ended.
type Outcome string

// The outcomes. Everything but Compacted leaves the view as it was.
const (
	Compacted   Outcome = "compacted"
	NothingToDo Outcome = "nothing_to_do"
	NotSmaller  Outcome = "not_smaller"
	DoesNotFit  Outcome = "does_not_fit"
	Grace       Outcome = "grace" // was due in the turn after another one, and not tried
)
