package sessions

import (
	"encoding/json"
	"time"

	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// Kind is what an entry of a session's log records. Kinds are stored: append only.
type Kind string

// The kinds of entries.
const (
	KindMessage    Kind = "message"    // a message, a tool call or its results, as received
	KindNote       Kind = "note"       // a record of the host that is not part of the conversation
	KindNotes      Kind = "notes"      // what an agent noted for whoever goes on; the original holds it
	KindCompaction Kind = "compaction" // an accepted compaction; Data holds its record
	KindRestore    Kind = "restore"    // a compaction was taken back; Data names it
	KindRewind     Kind = "rewind"     // the host went back to an earlier message; Data names it
	KindCost       Kind = "cost"       // a model wrote a summary that was not used; Usage is its cost, Note the reason
	KindEdits      Kind = "edits"      // a step of edits to the view; Data holds it
	KindDecision   Kind = "decision"   // a decision that left the view unchanged; Data holds it
)

// own reports whether the ledger itself writes entries of this kind.
func (k Kind) own() bool {
	switch k {
	case KindCompaction, KindRestore, KindRewind, KindCost, KindEdits, KindDecision:
		return true
	}
	return false
}

// Queue is what a note says of the messages that a user sends while the agent works. They wait in the host until it
// hands them to the agent. Values are stored: append only.
type Queue string

// What happens to queued messages. They are handed on in the order in which they came.
const (
	QueueAdded    Queue = "added"    // one came; Message is the span of its content
	QueueGiven    Queue = "given"    // the agent got the oldest one within its turn
	QueueLeft     Queue = "left"     // the oldest one left: it begins a turn, or another record holds it
	QueueReturned Queue = "returned" // all went back to the user, who may send others in their place
	QueueSent     Queue = "sent"     // the agent got this one within its turn; Message is the span of its content
)

// HostCut is what a host says of its own compaction.
type HostCut struct {
	Auto   bool  `json:"auto,omitempty"`   // the host did it because its window was full
	Before int64 `json:"before,omitempty"` // tokens of the window before it; 0: not said
	// Kept are the host's ids of the records that stay verbatim behind the summary, at most MaxKept.
	Kept []string `json:"kept,omitempty"`
}

// MaxKept is how many records a host's compaction is said to keep, at most.
const MaxKept = 200

// Clipped returns a copy within limits, nil for nil.
func (c *HostCut) Clipped() *HostCut {
	if c == nil {
		return nil
	}
	out := &HostCut{Auto: c.Auto, Before: max(c.Before, 0)}
	for _, id := range c.Kept[:min(len(c.Kept), MaxKept)] {
		out.Kept = append(out.Kept, ClipID(id))
	}
	return out
}

// Cleared is a result of which the host's own window has a shorter text now.
type Cleared struct {
	Call   string `json:"call"`
	Tokens int    `json:"tokens"` // o200k_base, of the text in its place
}

// maxCleared is how many results one record is said to clear, at most.
const maxCleared = 1000

// ClippedCleared returns a copy within limits, nil for none.
func ClippedCleared(list []Cleared) (out []Cleared) {
	for _, c := range list[:min(len(list), maxCleared)] {
		out = append(out, Cleared{ClipID(c.Call), max(c.Tokens, 0)})
	}
	return out
}

// HostSummary reports whether an entry is the summary with which the host itself replaced what came before it in the
// main conversation.
func (e *Entry) HostSummary() bool {
	return e.Kind == KindMessage && e.Earlier && e.Hidden && e.Author == ""
}

// Measured reports whether an entry has what a provider measured of an answer: a part of the answer, or the note in which
// a host says it behind the answer.
func (e *Entry) Measured() bool {
	return e.Usage != nil && (e.Kind == KindMessage || e.Kind == KindNote)
}

// NewEntry is an entry as a face hands it in. Exactly one of Original and Blob is set.
type NewEntry struct {
	Kind   Kind      `json:"kind"`
	Time   time.Time `json:"time"`
	HostID string    `json:"host_id,omitempty"` // the host's id of this record
	// HostParent is the host's id of the record this one follows, where hosts keep a tree.
	HostParent string `json:"host_parent,omitempty"`
	// Origin is the record of another session that this one is a copy of, where the host says so.
	Origin Origin `json:"origin,omitzero"`
	// Group joins consecutive records that together are one message of the provider.
	Group  string `json:"group,omitempty"`
	Author string `json:"author,omitempty"` // the name of the agent or person that says it; "" without one
	Model  string `json:"model,omitempty"`
	// Original is the record exactly as received, at most limits.EntryInline bytes; a longer one
	// is stored with PutBlob first and named by Blob.
	Original []byte `json:"original,omitempty"`
	Blob     string `json:"blob,omitempty"`
	// Message is the span of the provider's message in the original, in Format, or of what transcript.MessageIn makes one
	// of: the content of a queued message, what the host loaded. Empty: the original is the message, of a note none.
	Message transcript.Span   `json:"message,omitzero"`
	Format  transcript.Format `json:"format,omitempty"`
	// Hidden keeps a record out of every view: subagents' lines, the host's own summaries. A hidden note is
	// context that the host gave to the model besides the messages.
	Hidden bool `json:"hidden,omitempty"`
	// Loaded marks a message that the host itself put into the conversation for the model, such as the body of a skill or
	// a file that the user named: views show it, and neither user nor agent said it.
	Loaded bool `json:"loaded,omitempty"`
	// Attached is the file whose text is in a message that is Loaded; nil: none is, as far as is known.
	Attached *Attached `json:"attached,omitempty"`
	Usage    *Usage    `json:"usage,omitempty"`
	// Bill is what the provider charged, if that is not Usage of Model under the usual terms: at most MaxBill charges.
	Bill Bill `json:"bill,omitempty"`
	// Unfinished marks a part of an answer that was written before the answer was complete: its usage reports too
	// little output.
	Unfinished bool `json:"unfinished,omitempty"`
	// Copied says that another session has the record, which counts what it did and cost.
	Copied bool `json:"copied,omitempty"`
	// Cut is set on the note that precedes the summary of a host's own compaction.
	Cut *HostCut `json:"cut,omitempty"`
	// Cleared are results that the host took out of its own window; views have them.
	Cleared []Cleared `json:"cleared,omitempty"`
	// Window is how many tokens the context window has, as the host says; 0: it does not.
	Window int `json:"window,omitempty"`
	// Version is that of the host which wrote the record; "": it does not say, or it is as before.
	Version string `json:"version,omitempty"`
	// Queue is set on notes about messages that the user sent, and what a host reported, while the agent worked.
	Queue Queue `json:"queue,omitempty"`
	// Effects is what the host reports about the files that a result's call touched, or tells the agent of one.
	Effects []Effect `json:"effects,omitempty"`
	// Note describes a record that is not a plain message: its type, or why it could not be read.
	Note string `json:"note,omitempty"`
}

// Attached is a file that the host itself put into the conversation, because the user named it.
type Attached struct {
	Path    string          `json:"path"`              // in an entry: in the form of the ledger
	Text    transcript.Span `json:"text,omitzero"`     // of the JSON string in the original; empty: not known
	Partial bool            `json:"partial,omitempty"` // it is a part of the file
}

// Origin names a record of another session, by the host's ids.
type Origin struct {
	Session string `json:"session,omitempty"`
	Record  string `json:"record,omitempty"`
}

// Effect is what a host reported about one file.
type Effect struct {
	Path string `json:"path"`
	Op   string `json:"op"` // "created", "modified", "deleted", EffectTold
}

// EffectTold says that the host told the agent what somebody else changed in the file.
const EffectTold = "told"

// Entry is one append-only record of a session's log. The original bytes are not part of it: they follow it in the
// store, or are in the blob that it names.
type Entry struct {
	Seq int64  `json:"seq"`
	ID  string `json:"id,omitempty"` // message id: H(previous id, value or original), 32 hex digits
	// Value is the digest of the message's value, if the id is made of it: see ValueDigest. It goes with the original.
	Value      string            `json:"value,omitempty"`
	Kind       Kind              `json:"kind"`
	Time       time.Time         `json:"time"`
	Turn       int               `json:"turn"` // 1-based; 0 before the first request
	HostID     string            `json:"host_id,omitempty"`
	HostParent string            `json:"host_parent,omitempty"`
	Origin     Origin            `json:"origin,omitzero"` // see NewEntry
	Group      string            `json:"group,omitempty"`
	Author     string            `json:"author,omitempty"`
	Model      string            `json:"model,omitempty"`
	Format     transcript.Format `json:"format,omitempty"`
	Message    transcript.Span   `json:"message,omitzero"`
	Size       int64             `json:"size"`           // bytes of the original
	Blob       string            `json:"blob,omitempty"` // where the original is, when it is not inline
	Hidden     bool              `json:"hidden,omitempty"`
	Loaded     bool              `json:"loaded,omitempty"` // see NewEntry
	Attached   *Attached         `json:"attached,omitempty"`
	Note       string            `json:"note,omitempty"`
	Told       string            `json:"told,omitempty"` // the file of which the host told what others changed
	Usage      *Usage            `json:"usage,omitempty"`
	Bill       Bill              `json:"bill,omitempty"`       // see NewEntry and Billed
	Unfinished bool              `json:"unfinished,omitempty"` // the answer was not complete yet, see NewEntry
	Copied     bool              `json:"copied,omitempty"`     // see Session.Fork and Session.Continues
	Cut        *HostCut          `json:"cut,omitempty"`        // see NewEntry
	Cleared    []Cleared         `json:"cleared,omitempty"`    // see NewEntry
	Window     int               `json:"window,omitempty"`     // see NewEntry
	Queue      Queue             `json:"queue,omitempty"`      // see NewEntry
	Forgotten  *time.Time        `json:"forgotten,omitempty"`  // when the original was removed
	// Lost is set if the original was damaged and repair gave it up, rather than removed on request.
	Lost    bool `json:"lost,omitempty"`
	Expired bool `json:"expired,omitempty"` // removed by the retention policy, not on request
	// Data is the payload of entries that the ledger itself writes (compaction, restore, rewind).
	Data json.RawMessage `json:"data,omitempty"`

	// What was extracted when the entry was appended.
	Role   transcript.Role `json:"role,omitempty"`
	Prompt bool            `json:"prompt,omitempty"` // a request by the user: starts a turn
	// Reports is set if it is what the host says of a call that went on in the background: see intents.NoticeIn.
	Reports bool `json:"reports,omitempty"`
	// Correction is set if a user's message begins like those with which orchestrators correct an agent.
	Correction bool `json:"correction,omitempty"`
	Empty      bool `json:"empty,omitempty"` // an empty message: no view shows it
	// Earlier is set if a user's message is a summary which a host made of what came before.
	Earlier bool `json:"earlier,omitempty"`
	// Thoughts is set if it is reasoning and nothing else: no view shows it without what it led to.
	Thoughts bool `json:"thoughts,omitempty"`
	// Compacted is set if it is the provider's own compaction of what came before. Only the provider can read it,
	// so no summary replaces it.
	Compacted bool `json:"compacted,omitempty"`
	Tokens    int  `json:"tokens,omitempty"` // o200k_base tokens of what a model reads of it
	Chars     int  `json:"chars,omitempty"`  // characters of its own texts, without calls and results
	// Reasoning is how many of Tokens are reasoning; 0 in entries appended before that was recorded.
	Reasoning int `json:"reasoning,omitempty"`
	// Features is the input for estimates of closed tokenizers; zero if it cannot represent the content, such as
	// images.
	Features tokens.Features `json:"features,omitzero"`
	Calls    []Call          `json:"calls,omitempty"`   // tool calls it makes
	Results  []Result        `json:"results,omitempty"` // results it carries
	Paths    []string        `json:"paths,omitempty"`   // file paths it names, at most limits.EntryPaths
	Names    []string        `json:"names,omitempty"`   // identifiers it names, at most limits.EntryNames
}

// CallIDs returns the ids under which the log knows the calls and results of the entry, for
// transcript.Identify and transcript.Edits: a message itself may have none.
func (e Entry) CallIDs() []string {
	ids := make([]string, 0, len(e.Calls)+len(e.Results))
	for _, c := range e.Calls {
		ids = append(ids, c.ID)
	}
	for _, r := range e.Results {
		ids = append(ids, r.CallID)
	}
	return ids
}

// MessageIn returns the provider's message in the original of an entry, as transcript.MessageIn does. ok is false if its
// span lies outside.
func (e *Entry) MessageIn(original []byte) (raw []byte, ok bool) {
	if e.Message.From < 0 || e.Message.To > len(original) {
		return nil, false
	}
	return transcript.MessageIn(e.Format, original, e.Message), true
}

// Mixed reports whether an entry may carry results and something besides them. What is not text alone has no features,
// and may.
func (e Entry) Mixed() bool {
	return len(e.Results) > 0 && e.Features[tokens.FeatureBlocks] != len(e.Results)
}

// Spent returns the entry's usage, zero if it has none.
func (e Entry) Spent() Usage {
	if e.Usage == nil {
		return Usage{}
	}
	return *e.Usage
}

// Call is what the log records of one tool call.
type Call struct {
	ID     string `json:"id"`
	Name   string `json:"name"`             // the host's name of the tool
	Op     string `json:"op,omitempty"`     // the canonical operation, see intents.Classify
	Target string `json:"target,omitempty"` // path, or command
	From   string `json:"from,omitempty"`   // source of a move
	Prints string `json:"prints,omitempty"` // path of the file of which a command prints lines, see shell.Printed
	Tokens int    `json:"tokens"`
	Chars  int    `json:"chars,omitempty"` // characters of its arguments, as JSON
	// Same is a digest of the request: calls of one tool with the same arguments, in any order and with any
	// spelling of a path, have the same. "" in entries appended before there were digests.
	Same string `json:"same,omitempty"`
	// Malformed is set if its arguments are not an object, or are truncated: the call could not be run.
	Malformed bool `json:"malformed,omitempty"`
	// Partial is set if a read asks for a part of the file.
	Partial bool `json:"partial,omitempty"`
}

// Result is what the log records of one tool result.
type Result struct {
	CallID string `json:"call_id"`
	Failed bool   `json:"failed,omitempty"`
	Chars  int    `json:"chars"`  // characters of its text
	Tokens int    `json:"tokens"` // o200k_base tokens of its text
	// Artifact is the handle of the artifact that replaces it in every view.
	Artifact   string `json:"artifact,omitempty"`
	StubTokens int    `json:"stub_tokens,omitempty"`
	// Whole is what the host would have passed on, in o200k_base tokens, had not a hook put the stub that is the text in
	// its place, and Cause is why it did: see artifacts.StubOf. 0: the text is no stub, or it was recorded before that was.
	Whole int    `json:"whole,omitempty"`
	Cause string `json:"cause,omitempty"`
}
