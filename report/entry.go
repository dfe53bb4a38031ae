package report

import (
	"time"

	"ctxledger.dev/tokens"
)

// Class is what a piece of a request is.
type Class int

// The classes of pieces, in the order in which reports list them.
const (
	System    Class = iota // what no entry shows: the system prompt, tools, memory files, and what estimates miss
	Earlier                // what no entry shows where messages came before the first one: these, with System in it
	Host                   // what the agent's host adds on its own, such as reminders
	Summary                // what replaces a part that was compacted
	User                   // the user's own words
	Assistant              // answers
	Calls                  // of tools, with their arguments
	Reasoning              // what a model thought
	Result                 // what tools returned
	classes                // how many there are
)

// String returns the name of a class for people: that of the same in a window (ledger.Category), which has no reasoning apart.
func (c Class) String() string {
	return [...]string{"system prompt, tools and memory files", "earlier conversation, not recorded",
		"added by the agent", "summary", "user", "assistant", "tool calls", "reasoning", "tool results"}[c]
}

// Entry is one step of a session: what comes into the context of its thread, an answer's usage, or both.
type Entry struct {
	ID     string    // the host's; "": none
	Parent string    // the ID of the entry that a prompt follows, where the host says so
	Time   time.Time // zero: not known
	Thread string    // which subagent's conversation it belongs to; "": the main one
	// Prompt says that the user wrote it. A prompt whose Parent is an earlier entry of the context takes
	// back what came after that one.
	Prompt bool
	// Midway says that it is the first message of its file, and that others came before it, which no entry has.
	Midway     bool
	Pieces     []Piece
	Request    *Request    // set for an answer, or a part of one
	Compaction *Compaction // set when the context was replaced; summary and kept entries follow
	// Copied says that another session has the entry, and counts what it did: here it only fills the context.
	Copied bool
}

// Piece is one part of a message in a context.
type Piece struct {
	Class  Class
	Tokens int    // in o200k_base; what its model counts is estimated from that
	Call   string // id that joins a call and its result; "": neither
	Text   string // what a model reads of it; not kept
	// Action is what a call does, or the read that the agent's host made of a file that the user named.
	Action *Action
	Failed bool // it is the result of a call that failed, or was refused
	// Names are the identifiers and paths in it; needed only where Session.Compacts.
	Names []string
}

// Action is what a call of a tool does.
type Action struct {
	Tool    string
	Read    string // path of the file that it reads; "": none
	Part    string // which part of that file: reads of equal Path and Part are the same
	Command string // what a shell is to run; "": nothing
}

// Request is one answer of a model, with what its provider reported: of several parts the last.
type Request struct {
	ID    string // the provider's id of the answer; entries with the same one are parts of one answer
	Model string
	Usage tokens.Used
	Final bool // Usage is that of the whole answer, not of its beginning
	// Bill is what the provider charges for it: the calls of models that it took, first the one that began it.
	Bill []Charge
	// Counters are the names of numbers that the provider reports besides, and that have no price here or cannot be read.
	Counters []string
	// Copied says that another file, which repeats this one's entries, counts the request.
	Copied bool
}

// Charge is what one call of a model took.
type Charge struct {
	Model string
	Terms tokens.Terms
	Usage tokens.Used
}

// Compaction says that a context was replaced by a summary.
type Compaction struct {
	Trigger string // "auto", "manual", or as the host says
	Before  int64  // tokens of the context, as the host says; 0: it does not
}
