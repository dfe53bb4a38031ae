package ledger

import (
	"encoding/json"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/changes"
	"ctxledger.dev/compaction"
	"ctxledger.dev/intents"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// Mutation is embedded in every request that changes the ledger.
type Mutation struct {
	// Key makes the request safe to repeat: it is applied once and answered the same for a day.
	// The same key with another body is a conflict. A client fills an empty one with a random key.
	Key string `json:"key,omitempty"`
}

// InfoRequest asks for Info.
type InfoRequest struct{}

// Info says which ledger this is and how its owner fares.
type Info struct {
	Workspace string    `json:"workspace"`     // root directory; "" for the user ledger
	State     string    `json:"state"`         // state directory
	PID       int       `json:"pid,omitempty"` // of the owner
	Started   time.Time `json:"started"`
	Idle      float64   `json:"idle_seconds"` // since the last request of a client
	Clients   int       `json:"clients"`      // connections now
	InProcess bool      `json:"in_process,omitempty"`
	Following bool      `json:"following"` // whether the owner follows session files, and that makes progress
	// Tasks are what the owner does besides answering.
	Tasks     []TaskState `json:"tasks,omitempty"`
	Sessions  int         `json:"sessions"`
	Artifacts int         `json:"artifacts"`
	Memories  int         `json:"memories"`
	Bytes     int64       `json:"bytes"` // on disk
	Event     int64       `json:"event"` // sequence number of the newest event
}

// Event is the public record of a commit.
type Event struct {
	Seq     int64     `json:"seq"` // rises by one per event over the life of the ledger
	Kind    string    `json:"kind"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	Entry   int64     `json:"entry,omitempty"` // newest log entry of the commit
	Count   int       `json:"count,omitempty"` // how many entries it appended
	ID      string    `json:"id,omitempty"`    // of the summary, artifact or memory it is about
	Detail  string    `json:"detail,omitempty"`
	// Data is the payload of a decision about a view: a JSON object, one struct a kind, see payloads.go.
	Data json.RawMessage `json:"data,omitempty"`
}

// The kinds of events.
const (
	EventEntries   = "entries"
	EventArtifact  = "artifact"
	EventMemory    = "memory"
	EventChange    = "change"
	EventForgotten = "forgotten"
	EventLost      = "lost" // was damaged; repair put this in its place

	// Decisions about a view, with their payloads.
	EventCompaction    = "compaction"             // CompactionMade
	EventSkipped       = "compaction_skipped"     // CompactionSkipped
	EventSuppressed    = "compaction_suppressed"  // CompactionSuppressed
	EventFailed        = "compaction_failed"      // CompactionFailed
	EventRestore       = "compaction_restored"    // CompactionRestored
	EventCleared       = "results_cleared"        // EditsMade
	EventTruncated     = "args_truncated"         // EditsMade
	EventTrimmedInTurn = "in_turn_trim"           // EditsMade
	EventBudgetWarn    = "context_budget_warn"    // BudgetWarning
	EventCutover       = "context_budget_cutover" // BudgetWarning
	EventCapWarning    = "context_cap_warning"    // CapWarning
	EventFiltered      = "view_filtered"          // ViewFiltered
	EventRepaired      = "pairs_repaired"         // ViewRepaired
	EventLayerError    = "context_layer_error"    // LayerError
	EventOverflow      = "context_overflow"       // ContextOverflow
	EventWindowLearned = "window_learned"         // WindowLearned
	EventTrimmed       = "adaptive_trim"          // RequestTrimmed
)

// WaitEventsRequest asks for the events after a sequence number.
type WaitEventsRequest struct {
	After   int64    `json:"after"`             // -1: from now on, returns at once with the newest number
	Kinds   []string `json:"kinds,omitempty"`   // empty: all
	Session string   `json:"session,omitempty"` // empty: all
	Limit   int      `json:"limit,omitempty"`   // at most 1,000; 0: 100
	WaitMS  int64    `json:"wait_ms,omitempty"` // how long to wait for the first event; capped at limits.LongPoll
}

// WaitEventsResponse holds events in order. Next is the After of the following request. Missed
// says that events between After and the first one here are no longer kept.
type WaitEventsResponse struct {
	Events []Event `json:"events"`
	Next   int64   `json:"next"`
	Missed bool    `json:"missed,omitempty"`
}

// ImportStateRequest asks how far the import of a source has come.
type ImportStateRequest struct {
	Import string `json:"import"` // names the source: same file, same id
}

// ImportState is how far an import has come.
type ImportState struct {
	Import  string `json:"import"`
	Session string `json:"session,omitempty"` // "" before the first batch
	Offset  int64  `json:"offset"`            // bytes of the source that are in the ledger
	Line    int64  `json:"line"`              // lines of the source up to there
	Check   string `json:"check,omitempty"`   // the Check of the newest batch
}

// AppendEntriesRequest appends a batch of an import to its session. Its key is remembered until four more
// batches of the import are in; sent again after that, it is a conflict, as it starts at an offset that
// the import has left.
type AppendEntriesRequest struct {
	Mutation
	Import string `json:"import"`
	// Session describes the session; it is created with the first batch. Host and HostID identify it.
	Session sessions.Session `json:"session"`
	Offset  int64            `json:"offset"`          // where in the source this batch starts
	Next    int64            `json:"next"`            // where the following batch starts
	Line    int64            `json:"line"`            // lines of the source up to Next
	Check   string           `json:"check,omitempty"` // fingerprint of the bytes before Next, to know the file again
	// Entries may be empty to report progress alone.
	Entries []sessions.NewEntry `json:"entries"`
	// Done makes the session visible: the import has reached the present end of its source.
	Done bool `json:"done,omitempty"`
}

// AppendEntriesResponse says what was appended.
type AppendEntriesResponse struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"` // of the newest entry
}

// AppendMessagesRequest records messages that a host keeps itself.
type AppendMessagesRequest struct {
	Mutation
	// Session names the session they belong to; empty: found by their chain, or a new one.
	Session string `json:"session,omitempty"`
	// Host names who hands them in, for a new session ("mcp").
	Host  string `json:"host,omitempty"`
	Model string `json:"model,omitempty"`
	// Dir is the directory that a new session runs in; "": the root of the workspace.
	Dir string `json:"dir,omitempty"`
	// Format is that of the messages. "": recognised, see transcript.Recognise; where several fit, that
	// of the session.
	Format transcript.Format `json:"format,omitempty"`
	// Messages is the whole conversation, or with Since only what is new since the last call.
	Messages [][]byte `json:"messages,omitempty"`
	// Blob names a stored blob with the JSON array, for a conversation too long for a frame. The request
	// uses it up, whether it succeeds or not: it is deleted unless something else names it.
	Blob  string `json:"blob,omitempty"`
	Since bool   `json:"since,omitempty"`
}

// AppendMessagesResponse says where the messages are in the ledger.
type AppendMessagesResponse struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`     // of the newest entry
	Added   int    `json:"added"`   // messages that were new
	Created bool   `json:"created"` // whether the session is new
}

// SessionsRequest lists sessions.
type SessionsRequest struct {
	Limit int `json:"limit,omitempty"` // 0: 100
	Skip  int `json:"skip,omitempty"`  // how many of the newest were on the pages before
}

// SessionsResponse lists sessions, newest first.
type SessionsResponse struct {
	Sessions []sessions.Session `json:"sessions"`
	Total    int                `json:"total"`
}

// SessionRequest finds a session: by our id (or a unique beginning of it), by the host's id, or,
// when Name is empty, the host's current one, or the one that was active in the last ten minutes.
type SessionRequest struct {
	Name   string `json:"name,omitempty"`
	HostID string `json:"host_id,omitempty"` // what the host's variable says
	Latest bool   `json:"latest,omitempty"`  // fall back to the newest session of all
	// Tree limits a request without a name to the sessions that ran in one tree of the workspace; "": any.
	Tree string `json:"tree,omitempty"`
}

// LogRequest asks for a page of a session's log.
type LogRequest struct {
	Session   string `json:"session"`
	From      int64  `json:"from,omitempty"` // first sequence number; 0: the first entry
	To        int64  `json:"to,omitempty"`   // last one; 0: the newest
	Originals bool   `json:"originals,omitempty"`
	Limit     int    `json:"limit,omitempty"` // entries; 0: as many as fit a frame
}

// LogResponse is a page of a log. Next is the From of the following page, 0 at the end.
type LogResponse struct {
	Entries []LogEntry `json:"entries"`
	Next    int64      `json:"next,omitempty"`
}

// LogEntry is an entry with its original, if asked for. An original that does not fit a page
// stays away; Entry.Blob names it.
type LogEntry struct {
	sessions.Entry
	Original []byte `json:"original,omitempty"`
}

// ViewRequest asks for a page of a session's view.
type ViewRequest struct {
	Session string `json:"session"`
	Reader
	Model string `json:"model,omitempty"` // counts are those of this model; "": the session's
	From  int    `json:"from,omitempty"`  // where the page starts: what the page before gave as Next
	// Position is that of the first page: a page of another position would not fit. 0: the newest.
	Position int64 `json:"position,omitempty"`
}

// ViewResponse is a page of a view. Next is the From of the following page, 0 at the end.
type ViewResponse struct {
	Session  string        `json:"session"`
	Position int64         `json:"position"` // sequence number of the newest entry that it reflects
	Summary  string        `json:"summary,omitempty"`
	Messages []ViewMessage `json:"messages"`
	Total    int           `json:"total"` // what From counts to: messages, those of one answer or its results as one
	Tokens   tokens.Count  `json:"tokens"`
	Next     int           `json:"next,omitempty"`
}

// ViewMessage is one message of a view, in its provider's format.
type ViewMessage struct {
	Seq    int64             `json:"seq"` // of the first entry it comes from; 0 for a summary
	ID     string            `json:"id"`
	Role   transcript.Role   `json:"role"`
	Format transcript.Format `json:"format"`
	Turn   int               `json:"turn"`
	Tokens int               `json:"tokens"`           // o200k_base
	JSON   []byte            `json:"json,omitempty"`   // exactly the original bytes, unless Edited
	Blob   string            `json:"blob,omitempty"`   // where the message is, when too long for a page
	Edited bool              `json:"edited,omitempty"` // a stub or a merge stands in it
}

// StatusRequest asks what fills a session's window.
type StatusRequest struct {
	Session string `json:"session"`
	Reader
	Model string `json:"model,omitempty"`
	// Brief asks for Use alone, without Categories, Sources and Saved: to know the rest, the whole session is gone through.
	Brief bool `json:"brief,omitempty"`
}

// Use says what fills a session's window now. Counts of parts are estimates unless Exact.
type Use struct {
	Session    sessions.Session `json:"session"`
	Model      string           `json:"model"`
	Counting   string           `json:"counting"`        // where counts come from: see tokens.Counter.Quality
	Window     int              `json:"window"`          // tokens; 0: unknown
	Used       tokens.Count     `json:"used"`            // of the view
	Measured   int64            `json:"measured"`        // input and output of the newest answer, as the provider reported; 0: none
	Held       tokens.Count     `json:"held"`            // by the agent's own window: the newest answer on the active path, measured, and what came since; else Used and Fixed
	Threshold  int              `json:"threshold"`       // above it a compaction is due
	Categories []Category       `json:"categories"`      // by what fills the view, largest first, together Used
	Sources    []Source         `json:"sources"`         // by where it comes from: files, then tools, each largest first, at most 20 of each
	Fixed      *tokens.Count    `json:"fixed,omitempty"` // what every request carries beside the conversation; nil where nothing was measured
	Summary    string           `json:"summary"`         // the compaction that the view starts with
	Saved      tokens.Count     `json:"saved"`           // what stubs, edits and the summary keep out of the view now
}

// Status says what fills a session's window, and what is to be cut next.
type Status struct {
	Use
	Next       EditedView     `json:"next"`             // the step of edits that would be taken now, and whether a compaction is due
	NextCuts   []NextCut      `json:"next_cuts"`        // what a compaction would take out first, largest first, at most 10
	Total      sessions.Usage `json:"total_usage"`      // of the whole session
	Agents     []AgentInput   `json:"agents"`           // what each agent took: the main conversation first, then by name
	Limits     *Window        `json:"limits,omitempty"` // what errors of the provider taught; nil: nothing
	SinceTurns int            `json:"turns_in_view"`
}

// Category is one kind of content in a view.
type Category struct {
	Name   string       `json:"name"`
	Tokens tokens.Count `json:"tokens"`
}

// The kinds of sources.
const (
	SourceFile = "file"
	SourceTool = "tool"
)

// Source is a file or a tool that takes room in a view.
type Source struct {
	Kind   string       `json:"kind"`
	Name   string       `json:"name"`
	Tokens tokens.Count `json:"tokens"`
	Calls  int          `json:"calls"` // that are in the view
}

// NextCut is something that the next compaction would take out of the view.
type NextCut struct {
	Label  string       `json:"label"`
	Seq    int64        `json:"seq"`
	Tokens tokens.Count `json:"tokens"`
}

// EditViewRequest asks for a step of edits, if one is due.
type EditViewRequest struct {
	Mutation
	Session string `json:"session"`
	Reader
	Model string `json:"model,omitempty"` // whose window and prices count; "": the session's
	// Reason, if set, is why there has to be a step: it is taken whether it pays or not.
	Reason string `json:"reason,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"` // decide and change nothing
	// NoEdits only asks whether a compaction is due: for callers that do not send what the view shows.
	NoEdits bool `json:"no_edits,omitempty"`
	Signals
}

// Signals are reasons for a compaction that only a caller can know.
type Signals struct {
	Overflow bool `json:"overflow,omitempty"` // the provider refused the request because of its size
	Trimmed  bool `json:"trimmed,omitempty"`  // the last request went through only because it was trimmed
	Asked    bool `json:"asked,omitempty"`    // the agent asked for one
	Insist   bool `json:"insist,omitempty"`   // and said how large it is to be, or handed in what is to be compacted
	Manual   bool `json:"manual,omitempty"`   // a person did
}

// EditedView is a decision about a session's view. It is recorded if it has edits.
type EditedView struct {
	Session string `json:"session"`
	Step    int64  `json:"step,omitempty"` // the entry of the log that records it
	window.Decision
	TokensBefore tokens.Count `json:"tokens_before"`
	TokensAfter  tokens.Count `json:"tokens_after"`
	// Due says whether a compaction is due after this step, and why, or why not.
	Due window.Trigger `json:"due"`
	// Mode is how a compaction that is due is made, as configured, and Keep how many turns it keeps; 0: as many
	// as compaction does by default.
	Mode compaction.Mode `json:"mode,omitempty"`
	Keep int             `json:"keep_turns,omitempty"`
	// Warn says that the input of an agent comes near the limit at which the session is compacted.
	Warn bool `json:"warn,omitempty"`
	// Failed is what passes could not look at: those messages stay as they are. At most 10.
	Failed []LayerError `json:"failed,omitempty"`
	// NearCap says that the view has nearly as many messages as are shown at most.
	NearCap bool `json:"near_cap,omitempty"`
}

// AgentInput is what one agent of a session took, in tokens of input, cached or not.
type AgentInput struct {
	Agent string `json:"agent,omitempty"` // "": the main conversation
	Input int    `json:"input"`           // since the last compaction that was accepted
	Turn  int    `json:"turn"`            // in the last turn
	Apart bool   `json:"apart,omitempty"` // its messages stand in no view: it has counters of its own
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
	// Position is that of the plan that the caller has seen: the log must not have gone on. 0: there was none.
	Position int64 `json:"position,omitempty"`
	// Answer is what came of asking a model, in the modes that have one write. With it the log may have
	// gone on since the plan: what counts is that the range is the same.
	Answer *compaction.Answer `json:"answer,omitempty"`
}

// Summary is a compaction with its text and with counts for the model it was made for.
type Summary struct {
	compaction.Record
	TextTokens   tokens.Count `json:"summary_tokens"`
	TokensBefore tokens.Count `json:"before"`
	TokensAfter  tokens.Count `json:"after"`
	Current      bool         `json:"current"`            // whether the view starts with it
	Restored     *time.Time   `json:"restored,omitempty"` // when it was taken back
	// Refused says why nothing was recorded but what a model cost; then ID is empty. "" for a compaction.
	Refused compaction.Outcome `json:"refused,omitempty"`
	Why     string             `json:"why,omitempty"` // in words, with Refused
}

// SummariesRequest lists the compactions of a session.
type SummariesRequest struct {
	Session string `json:"session"`
}

// SummariesResponse lists compactions, oldest first, without their texts.
type SummariesResponse struct {
	Summaries []Summary `json:"summaries"`
}

// SummaryRequest asks for one compaction, by its id.
type SummaryRequest struct {
	ID string `json:"id"`
}

// RestoreRequest takes a compaction back.
type RestoreRequest struct {
	Mutation
	ID string `json:"id"`
}

// RestoreResponse says what the view holds after a restore.
type RestoreResponse struct {
	Session string       `json:"session"`
	Current string       `json:"current,omitempty"` // the summary that the view starts with now
	Tokens  tokens.Count `json:"tokens"`
	Window  int          `json:"window"` // of the session's model; 0: unknown
}

// PutArtifactRequest keeps a blob as an artifact. The blob was stored with PutBlob.
type PutArtifactRequest struct {
	Mutation
	Blob  string        `json:"blob"`
	Title string        `json:"title,omitempty"`
	Tool  string        `json:"tool,omitempty"`
	Hint  string        `json:"hint,omitempty"`
	Ref   artifacts.Ref `json:"ref,omitzero"`
}

// ArtifactRequest asks for one artifact's record, by its handle.
type ArtifactRequest struct {
	ID string `json:"id"`
}

// ArtifactsRequest lists artifacts.
type ArtifactsRequest struct {
	Session string `json:"session,omitempty"` // empty: all
	Limit   int    `json:"limit,omitempty"`   // 0: 100
	Skip    int    `json:"skip,omitempty"`    // how many of the newest were on the pages before
}

// ArtifactsResponse lists artifacts, newest first.
type ArtifactsResponse struct {
	Artifacts []artifacts.Artifact `json:"artifacts"`
	Total     int                  `json:"total"`
}

// ReadArtifactRequest reads a part of what a handle names.
type ReadArtifactRequest struct {
	ID string `json:"id"`
	artifacts.Selection
}

// SearchArtifactsRequest finds passages in all artifacts.
type SearchArtifactsRequest struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"` // passages; 0: 10
}

// SearchArtifactsResponse lists passages, best first.
type SearchArtifactsResponse struct {
	Passages []artifacts.Passage `json:"passages"`
}

// ForgetRequest names what is to be forgotten: exactly one of Handle and Text is set.
type ForgetRequest struct {
	Mutation
	// Handle names an artifact, a message, a summary or a whole session.
	Handle string `json:"handle,omitempty"`
	// Text is a text of scrub.Least to scrub.Most bytes. What holds it word for word is forgotten;
	// where something else was derived from it, the text alone is taken out.
	Text   string `json:"text,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"` // only say what would be forgotten
}

// Forgotten says what was forgotten, and where a text is still to be found.
type Forgotten struct {
	At       time.Time       `json:"at"`
	DryRun   bool            `json:"dry_run,omitempty"`
	Counts   []ForgottenKind `json:"counts"`   // the most first
	Sessions []string        `json:"sessions"` // whose messages or summaries were among it, at most 1,000
	Searched int             `json:"searched"` // files of the state directory that a text was looked for in afterwards
	Left     []LeftPlace     `json:"left"`     // of these, what holds it still, at most 100
	Outside  []LeftPlace     `json:"outside"`  // what lies elsewhere and was not touched, at most 100
}

// ForgottenKind is how many things of one kind were forgotten, or lost a text.
type ForgottenKind struct {
	Kind string `json:"kind"` // "message", "artifact", "summary", "memory", …
	N    int    `json:"n"`
}

// LeftPlace is a place that still holds a text, with the reason.
type LeftPlace struct {
	Place string `json:"place"`
	Why   string `json:"why"`
}

// MaskRequest hands in a text of at most limits.MaskText bytes.
type MaskRequest struct {
	Text string `json:"text"`
}

// MaskResponse is the text with masks in the place of secrets.
type MaskResponse struct {
	Text   string `json:"text"`
	Masked int    `json:"masked"` // how many masks were put in
}

// SaveMemoryRequest writes one memory.
type SaveMemoryRequest struct {
	Mutation
	memory.Entry
	// Overwrite allows replacing another author's fact.
	Overwrite bool `json:"overwrite,omitempty"`
}

// MemoriesRequest lists memories, or ranks them against a query.
type MemoriesRequest struct {
	Scope memory.Scope `json:"scope,omitempty"` // empty: both
	Query string       `json:"query,omitempty"` // empty: all, by name
	Limit int          `json:"limit,omitempty"` // 0: 5 with a query, else 1,000
	Body  bool         `json:"body,omitempty"`  // whether bodies come along
	After string       `json:"after,omitempty"` // cursor: the Next of the page before
}

// MemoriesResponse lists memories. Notes says in words what could not be looked at.
type MemoriesResponse struct {
	Entries []memory.Entry `json:"entries"`
	Next    string         `json:"next,omitempty"`
	Notes   []string       `json:"notes,omitempty"`
}

// MemoryRequest names one memory. An empty scope means project first, then user.
type MemoryRequest struct {
	Name  string       `json:"name"`
	Scope memory.Scope `json:"scope,omitempty"`
}

// DeleteMemoryRequest removes one memory.
type DeleteMemoryRequest struct {
	Mutation
	Name  string       `json:"name"`
	Scope memory.Scope `json:"scope,omitempty"`
}

// ChangesRequest lists what happened to files.
type ChangesRequest struct {
	Session string `json:"session,omitempty"` // empty: all
	Path    string `json:"path,omitempty"`    // a file, or a directory with all below it
	Since   int64  `json:"since,omitempty"`   // only changes with a greater id
	// Before selects only changes with a smaller id, to read page by page: that of the last change of the
	// page before. Total then counts those of the page. 0: all.
	Before int64 `json:"before,omitempty"`
	Limit  int   `json:"limit,omitempty"` // 0: 100
	// NoStale leaves Stale out: to know it, the whole log of the session is read.
	NoStale bool `json:"no_stale,omitempty"`
}

// ChangesResponse lists changes, newest first, and, with the first page of a session, the files that it
// read and that changed afterwards by other hands.
type ChangesResponse struct {
	Changes []changes.Change `json:"changes"`
	Total   int              `json:"total"`
	Stale   []changes.Stale  `json:"stale"`
}

// IntentsRequest asks for a page of a session's intents.
type IntentsRequest struct {
	Session string `json:"session"`
	From    int64  `json:"from,omitempty"` // log entry to start at; 0: the first
}

// IntentsResponse is a page of intents. Next is the From of the following page, 0 at the end.
type IntentsResponse struct {
	Intents []intents.Intent `json:"intents"`
	Next    int64            `json:"next,omitempty"`
}

// FileHistoryRequest names a file.
type FileHistoryRequest struct {
	Path string `json:"path"`
}

// FileHistory is what the ledger knows of one file, oldest first.
type FileHistory struct {
	Path    string           `json:"path"`
	Changes []changes.Change `json:"changes"`
	Intents []intents.Intent `json:"intents"`
	Reads   []FileRead       `json:"reads"`
}

// FileRead is one time an agent read a file.
type FileRead struct {
	Session string    `json:"session"`
	Seq     int64     `json:"seq"`
	Turn    int       `json:"turn"`
	Time    time.Time `json:"time"`
	Tokens  int       `json:"tokens"` // of the result, o200k_base
}

// TouchedRequest asks which files of one tree sessions touched lately.
type TouchedRequest struct {
	Tree  string `json:"tree,omitempty"`  // its root; "": the workspace
	Trees bool   `json:"trees,omitempty"` // list no files, but the other trees that have any
	After int64  `json:"after,omitempty"` // the Next of an earlier answer; 0: all of the last seven days
}

// TouchedResponse lists files of a tree that sessions read, wrote or named in a call, the newest
// touch first; of more than fit an answer the oldest are left out. Next is the After of the following
// request.
type TouchedResponse struct {
	Files []TouchedFile `json:"files"`
	Trees []string      `json:"trees,omitempty"` // roots, the newest touch first
	Next  int64         `json:"next"`
}

// TouchedFile is a file with what the ledger knows of it.
type TouchedFile struct {
	changes.State
	Known bool `json:"known"` // whether anybody has looked at it yet
}

// RecordStatesRequest hands in what files were found to be.
type RecordStatesRequest struct {
	Mutation
	Tree    string        `json:"tree,omitempty"` // the root of the tree of all States; "": the workspace
	Started time.Time     `json:"started"`        // when the observer began: calls pending since before are concluded
	States  []Observation `json:"states"`         // at most 500
}

// Observation is a look at one file.
type Observation struct {
	changes.State           // Since is not looked at
	Seen          time.Time `json:"seen"`             // when it was looked at
	Noticed       time.Time `json:"noticed,omitzero"` // when the observer first noticed the change; zero: by looking
	// Before is what the observer itself saw earlier, for a file that the ledger does not know.
	Before *changes.State `json:"before,omitempty"`
}

// RecordStatesResponse lists the changes that were recorded, or whose records were completed.
type RecordStatesResponse struct {
	Changes []changes.Change `json:"changes"`
}

// ReadBlobRequest streams a blob by its hash, or what a handle names.
type ReadBlobRequest struct {
	Hash   string `json:"hash,omitempty"`
	Handle string `json:"handle,omitempty"`
	Offset int64  `json:"offset,omitempty"`
}
