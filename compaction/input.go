package compaction

import (
	"slices"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Input is what a compaction is computed from. Nothing in it is changed.
type Input struct {
	Session  sessions.Session
	Position int64 // sequence number of the newest entry of the log
	// Items are the session's visible messages on the active path, in order: the whole log from its
	// start, so also what earlier compactions cover.
	Items []Item
	// Earlier is the newest summary that the host's own model made of messages that are among the items, and which it
	// has in their place since then. nil: there is none.
	Earlier *Item
	// Host is the entry of the host's own summary that the view begins with, and HostTokens its size with that of the
	// messages that the host kept behind it; 0: the view begins with a summary of ours or with the first item.
	Host       int64
	HostTokens int
	// Notes are those that agents kept since the current compaction, newest first.
	Notes []Noted
	// Attempts are what agents logged as tried, oldest first: every document of the session has them.
	Attempts []Noted
	// Head is the size in tokens of what precedes every summary and is never compacted: leading system messages.
	// They are not among the items.
	Head int
	// FirstKept is the first entry that the current compaction kept verbatim; 0 when there is none.
	// The view is PreviousText, or what Host says, and the items from there on.
	FirstKept    int64
	Previous     *Record
	PreviousText string
	// Steering is what the user said, and what hosts reported of calls in the background, while the agent worked, in order
	// of After. What the user said is in no item.
	Steering []Steering
	// Operations are all tracked operations of the session, in order of Seq.
	Operations []Operation
	// Artifacts are those that replace results of the session, in order of Seq.
	Artifacts []ArtifactRef
	Window    int           // the model's window in tokens; 0 unknown
	Exact     bool          // the model counts in o200k_base, as Tokens of items are; else these are an estimate
	Effective int           // tokens of it that are to be used; 0: all
	Keep      settings.Keep // what stays verbatim; zero: settings.DefaultKeep
	// Message returns the decoded message of one entry. It is called for what user and agent said, for the calls that
	// changed something, and for the few results that may be printed. not_found means that the text was forgotten.
	Message func(seq int64) (transcript.Message, error)
	// Words keeps the messages that were read, up to the entry WordsTo, for the next plan of the same session. Later ones,
	// which may never be committed, are kept for this plan.
	Words   *Words
	WordsTo int64
	// Mask masks the secrets in a text. All words of the input pass it before anything is made of them, but for
	// the names and paths of items, which were taken from masked texts. nil: nothing is masked.
	Mask func(text string) string

	talk  *dialogue // what user and agent said, once it was read
	words *Words    // the messages after WordsTo that were read
}

// Noted is a note that an agent left for its successor, or an attempt that it logged.
type Noted struct {
	Turn int
	Text string
}

// Steering is a message that the user sent while the agent worked, and that the agent got within its turn; or a notice of
// the host.
type Steering struct {
	Seq   int64  // entry that holds it
	After int64  // entry after which the agent had it
	Turn  int    // in which the agent got it
	ID    string // message id of the entry, 32 hex digits
}

// Item is one message of the conversation.
type Item struct {
	Seqs    []int64 // the entries that it consists of, at least one, ascending
	Role    transcript.Role
	Prompt  bool // a request by the user: starts a turn
	Earlier bool // a summary that a host made of what came before
	// Loaded: the host put it there for the agent, such as the body of a skill. It is in the user's place, and no user
	// wrote it.
	Loaded bool
	// Compacted: the provider's own compaction of what came before. The newest that a summary covers stays
	// in front of it.
	Compacted bool
	Author    string // the name of who says it; "" without one
	Turn      int    // 1-based; 0 before the first request
	Tokens    int    // o200k_base tokens in the view, stubs included
	Chars     int    // characters of its own texts, without calls and results
	ID        string // message id of the first entry, 32 hex digits
	Calls     []sessions.Call
	Results   []Result
	Names     []string // identifiers that it names
	Paths     []string // file paths that it names
}

// Result is a result of a tool that an item carries.
type Result struct {
	sessions.Result
	Handle string // that reads it back
}

// Operation is one tool call that meant to change or to run something.
type Operation struct {
	intents.Intent
}

// ArtifactRef is an artifact that replaces a result.
type ArtifactRef struct {
	ID     string // the handle
	Label  string // "Read src/a.go"
	Seq    int64
	Tokens int // of the whole content
}

func (it *Item) first() int64 { return it.Seqs[0] }
func (it *Item) last() int64  { return it.Seqs[len(it.Seqs)-1] }

// newest returns the newest entry of items. What the host loaded stands behind results that came later.
func newest(items []Item) (seq int64) {
	for _, it := range slices.Backward(items) {
		if seq = max(seq, it.last()); !it.Loaded {
			break
		}
	}
	return seq
}

// pending reports whether the ledger does not know how the operation ended. Any status that this
// version does not know counts as pending.
func (op *Operation) pending() bool {
	return op.Status != intents.Applied && op.Status != intents.Failed
}

// failed reports whether the operation is known to have failed.
func (op *Operation) failed() bool {
	return op.Status == intents.Failed || op.ExitCode != nil && *op.ExitCode != 0
}

func (op *Operation) shell() bool { return op.Op == intents.OpShell || op.Op == intents.OpCommit }

// handleOf is the handle that a message is read back with: the first twelve digits of its id.
func handleOf(id string) string { return id[:min(len(id), 12)] }
