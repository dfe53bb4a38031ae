package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ctxledger.dev/internal/paths"
)

// Events reports the state of a ledger and its changes.
type Events interface {
	// Info identifies the ledger and describes its owner.
	Info(ctx context.Context, r InfoRequest) (Info, error)
	// WaitEvents returns the events after r.After, waiting until there is one or the wait is over.
	WaitEvents(ctx context.Context, r WaitEventsRequest) (WaitEventsResponse, error)
}

// InfoRequest asks for Info.
type InfoRequest struct {
	Tree string `json:"tree,omitempty"` // root of the tree that Following is about; "": the owner's
}

// Info identifies a ledger and describes its owner.
type Info struct {
	Workspace string `json:"workspace"` // root directory; "" for the user ledger
	// Main is the tree of the repository that paths without a tree are relative to, where Workspace is another one.
	Main      string    `json:"main,omitempty"`
	State     string    `json:"state"`         // state directory
	PID       int       `json:"pid,omitempty"` // of the owner
	Started   time.Time `json:"started"`
	Idle      float64   `json:"idle_seconds"` // since the last request of a client
	Clients   int       `json:"clients"`      // connections now
	InProcess bool      `json:"in_process,omitempty"`
	Following bool      `json:"following"` // whether the owner follows session files, and that makes progress
	// FollowOff says which setting keeps the sessions of the tree from being followed, "" for none.
	FollowOff string `json:"follow_off,omitempty"`
	// Hosts are the agents whose session files it follows.
	Hosts []string `json:"hosts,omitempty"`
	// Tasks are the background tasks of the owner.
	Tasks []TaskState `json:"tasks,omitempty"`
	// Polling is set while a limit of the system keeps the owner from watching files.
	Polling   *Polling `json:"polling,omitempty"`
	Sessions  int      `json:"sessions"`
	Artifacts int      `json:"artifacts"`
	Memories  int      `json:"memories"`
	Bytes     int64    `json:"bytes"` // on disk
	Event     int64    `json:"event"` // sequence number of the newest event
}

// Elsewhere returns the root of the tree that a recorded path is relative to, where that is not Workspace. tree is as
// records name it: "" is the main one. "": the path is of Workspace, or absolute.
func (i Info) Elsewhere(tree, path string) string {
	if tree = cmp.Or(tree, i.Main, i.Workspace); tree == i.Workspace || paths.IsAbs(path) {
		return ""
	}
	return tree
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
	// Data is the payload of a decision about a view: a JSON object, with one struct per kind, see payloads.go.
	Data json.RawMessage `json:"data,omitempty"`
}

// The kinds of events.
const (
	EventEntries   = "entries"
	EventArtifact  = "artifact"
	EventMemory    = "memory"
	EventChange    = "change"
	EventForgotten = "forgotten"
	EventForked    = "session_forked"         // a session that shares its beginning with another one
	EventRewritten = "session_file_rewritten" // a session's file, which is read again
	EventLost      = "lost"                   // was damaged; repair replaced it by this
	EventLearnt    = "model_learnt"           // how models count: what is counted for one of them changes
	EventRequest   = "request_measured"       // by a proxy
	EventSeen      = "files_seen"             // for the first time: whether they are as sessions read them is known

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
	EventAssembly      = "context_assembly"       // ContextAssembly
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

// TaskState is the state of one background task of an owner.
type TaskState struct {
	Name  string `json:"name"`  // what it does: "following session files"
	State string `json:"state"` // one of the constants below
	// Seconds is for how long there has been no progress, or for how long it has ended.
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error,omitempty"` // what it ended with
}

// The states of background tasks.
const (
	TaskWaiting = "waiting" // for something to do
	TaskWorking = "working"
	TaskStuck   = "stuck"  // a step takes far too long: mostly a system call that does not return
	TaskFailed  = "failed" // ended with an error
	TaskEnded   = "ended"
)

// Polling says that an owner looks at files again and again, for want of events.
type Polling struct {
	Why     string  `json:"why"`     // the limit of the system, and what raises it
	Seconds float64 `json:"seconds"` // from one look at a file to the next
}

// String says it in a line; "" for nil.
func (p *Polling) String() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("files are polled every %.0f s: %s", p.Seconds, p.Why)
}

// Tasks of an owner.
const (
	TaskFollow  = "following session files"
	TaskMeasure = "learning from measured usage"
)

// Trouble says what is wrong with a task, "" while it does its work.
func (t TaskState) Trouble() string {
	switch t.State {
	case TaskStuck:
		return fmt.Sprintf("%s: no progress for %.0f s", t.Name, t.Seconds)
	case TaskFailed:
		return fmt.Sprintf("%s: failed %.0f s ago: %s", t.Name, t.Seconds, t.Error)
	}
	return ""
}
