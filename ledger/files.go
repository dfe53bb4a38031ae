package ledger

import (
	"context"
	"math"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/tokens"
)

// Files returns what sessions intended to do with files and how the files changed.
type Files interface {
	// Changes lists what happened to files, newest first.
	Changes(ctx context.Context, r ChangesRequest) (ChangesResponse, error)
	// Intents lists what a session's tool calls meant to do, in the order of its log.
	Intents(ctx context.Context, r IntentsRequest) (IntentsResponse, error)
	// FileHistory says what the ledger knows of one file: changes, intents and reads.
	FileHistory(ctx context.Context, r FileHistoryRequest) (FileHistory, error)
}

// Observations records the states of files that an observer finds.
type Observations interface {
	// Touched lists the files that sessions touched lately, for an observer to look at.
	Touched(ctx context.Context, r TouchedRequest) (TouchedResponse, error)
	// RecordStates takes in what an observer saw of files, and records and attributes what changed.
	RecordStates(ctx context.Context, r RecordStatesRequest) (RecordStatesResponse, error)
}

// ChangesRequest lists what happened to files.
type ChangesRequest struct {
	ID      int64  `json:"id,omitempty"`      // only the change with this id, whatever else is set
	Session string `json:"session,omitempty"` // empty: all
	Path    string `json:"path,omitempty"`    // a file, or a directory with all below it
	Since   int64  `json:"since,omitempty"`   // only changes with a greater id
	// From selects only changes at that time or later.
	From time.Time `json:"from,omitzero"`
	// Before selects only changes that are older than the one with this id, to read page by page: that of the last change
	// of the page before. Total then counts those of the page. 0: all.
	Before int64 `json:"before,omitempty"`
	Limit  int   `json:"limit,omitempty"` // 0: 100
	// NoStale leaves Stale out: to know it, the whole log of the session is read.
	NoStale bool `json:"no_stale,omitempty"`
}

// ChangesResponse lists changes, newest first, and, with the first page of a session, the files that it
// read and that changed afterwards by other hands.
type ChangesResponse struct {
	Changes []changes.Change `json:"changes"`
	// Outside: the path that was asked for is not in the workspace. Of such files only what sessions report is recorded.
	Outside bool            `json:"outside,omitempty"`
	Total   int             `json:"total"`
	Stale   []changes.Stale `json:"stale"`
	// Tree is the one that the paths of Stale, Fresh, Parts, Moved and Reads are relative to: see changes.Change.
	Tree string `json:"tree,omitempty"`
	// Fresh are the files that the session read and that are known to be as it knows them, by path, at most 1,000.
	Fresh []string `json:"fresh,omitempty"`
	// Parts are those of which the session read parts that are still there as they were, whatever else has changed; as many.
	Parts []string `json:"parts,omitempty"`
	// Moved are others of which it read parts that are still there, with other line numbers; as many.
	Moved []string `json:"moved,omitempty"`
	// Reads are the files that the session itself has read, or has in its window, without those of its subagents, by path; as
	// many as fit.
	Reads []FileReads `json:"reads,omitempty"`
}

// FileReads is what the reads of a file that succeeded have taken of a session's window: the calls and their results, which
// Use.Scale counts. Held is what the window still has of it: the host may have compacted since, or gone back to before them.
// Window is the same of all calls on the file, with what was written: see Use.OwnSources.
type FileReads struct {
	Path   string        `json:"path"`
	Reads  int           `json:"reads"`
	Tokens tokens.Amount `json:"tokens"`
	Held   tokens.Amount `json:"held"`
	Window tokens.Amount `json:"window"`
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

// FileHistory is what the ledger knows of the files of one path in all trees, newest first.
type FileHistory struct {
	Path    string           `json:"path"`
	Changes []changes.Change `json:"changes"`
	Intents []intents.Intent `json:"intents"`
	Reads   []FileRead       `json:"reads"`
	// Trees are those in which sessions worked on a file of that path, by session, where it is not the main one.
	Trees map[string]string `json:"trees,omitempty"`
}

// FileRead is one time an agent read a file.
type FileRead struct {
	Session string    `json:"session"`
	Seq     int64     `json:"seq"`
	Turn    int       `json:"turn"`
	Time    time.Time `json:"time"`
	Tokens  int       `json:"tokens"` // of the call and its result, o200k_base
	// Took is the same as Use.Scale counts it.
	Took tokens.Amount `json:"took,omitzero"`
	// Subagent says that it is in the window of a subagent: of one that the session's file has as well, or whose session it is.
	Subagent bool `json:"subagent,omitempty"`
	// Failed says that it tried to, and got an error.
	Failed bool `json:"failed,omitempty"`
	// Gone says that the session's window has it no more: its host has compacted since, or gone back to before it.
	Gone bool `json:"gone,omitempty"`
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
	// Erased is another number after the owner forgot something, or when another owner answers: whoever remembers content
	// drops it then. See Erased.
	Erased int64 `json:"erased,omitempty"`
}

// Eraser says whether something was forgotten.
type Eraser interface {
	Touched(ctx context.Context, r TouchedRequest) (TouchedResponse, error)
}

// Erased returns TouchedResponse.Erased, for those who remember other content than files.
func Erased(ctx context.Context, api Eraser) (int64, error) {
	touched, err := api.Touched(ctx, TouchedRequest{After: math.MaxInt64}) // none of the files
	return touched.Erased, err
}

// TouchedFile is a file with what the ledger knows of it.
type TouchedFile struct {
	changes.State
	Known bool `json:"known"` // whether it has been observed yet
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
