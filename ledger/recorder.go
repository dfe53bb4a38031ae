package ledger

import (
	"bytes"
	"context"
	"slices"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Recorder records sessions.
type Recorder interface {
	// ImportState says how far an import has come, so that it can be resumed.
	ImportState(ctx context.Context, r ImportStateRequest) (ImportState, error)
	// AppendEntries appends a batch of an import. conflict: the import is at another offset.
	AppendEntries(ctx context.Context, r AppendEntriesRequest) (AppendEntriesResponse, error)
	// AppendMessages records a conversation handed in by a host that keeps it itself.
	AppendMessages(ctx context.Context, r AppendMessagesRequest) (AppendMessagesResponse, error)
	// KeepNotes records what an agent noted for whoever goes on: the next document of the session has plain notes and
	// attempts, and agents are given the rest (package given).
	KeepNotes(ctx context.Context, r KeepNotesRequest) (sessions.Session, error)
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
	// StartedBy is the host's id of the session that started this one, of a subagent. It need not be recorded yet.
	StartedBy string `json:"started_by,omitempty"`
	Offset    int64  `json:"offset"`          // where in the source this batch starts
	Next      int64  `json:"next"`            // where the following batch starts
	Line      int64  `json:"line"`            // lines of the source up to Next
	Check     string `json:"check,omitempty"` // fingerprint of the bytes before Next, to know the file again
	// Entries may be empty to report progress alone.
	Entries []sessions.NewEntry `json:"entries"`
	// Again lets the import begin again at offset 0, because the source is another one than was read up to Offset, where
	// it had Check: it was rewritten, replaced or cut. It comes without entries. Records that come again are left out.
	Again bool `json:"again,omitempty"`
	// Done makes the session visible: the import has reached the present end of its source.
	Done bool `json:"done,omitempty"`
}

// AppendEntriesResponse says what was appended.
type AppendEntriesResponse struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"` // of the newest entry
	// Known is how many entries of the batch the import had before its source was rewritten: they were left out.
	Known int `json:"known,omitempty"`
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
	// Blob names a stored blob with the JSON array, for a conversation too long for a frame. The request consumes it,
	// whether it succeeds or not: it is deleted unless something else references it.
	Blob  string `json:"blob,omitempty"`
	Since bool   `json:"since,omitempty"`
	// Usage is what the provider measured of the newest answer among them, and Bill what it charged: see sessions.NewEntry.
	Usage *sessions.Usage `json:"usage,omitempty"`
	Bill  sessions.Bill   `json:"bill,omitempty"`
}

// AppendMessagesResponse says where the messages are in the ledger.
type AppendMessagesResponse struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`     // of the newest entry
	Added   int    `json:"added"`   // messages that were new
	Created bool   `json:"created"` // whether the session is new
}

// KeepNotesRequest records notes of an agent.
type KeepNotesRequest struct {
	Mutation
	// Session is the id of the session they belong to; "": a new one, which holds nothing else.
	Session string `json:"session,omitempty"`
	Host    string `json:"host,omitempty"` // of a new session ("mcp")
	Dir     string `json:"dir,omitempty"`  // of a new session; "": the root of the workspace
	sessions.Notes
	// Assembled is what an agent was given, which is announced as an event. It may come without notes.
	Assembled *ContextAssembly `json:"assembled,omitempty"`
}

// ReadNotes returns what agents noted in a session, newest first.
func ReadNotes(ctx context.Context, api SessionReader, session string) (texts []string, err error) {
	for e, err := range LogEntries(ctx, api, LogRequest{Session: session, Originals: true}) {
		if err != nil {
			return nil, err
		}
		n := sessions.NotesOf(e.Original)
		if e.Kind == sessions.KindNotes && n.Kind == sessions.NotesPlain && n.Text != "" {
			texts = append(texts, n.Text)
		}
	}
	slices.Reverse(texts)
	return texts, nil
}

// maxInline is how many bytes of messages travel inside a request; more go as a blob.
const maxInline = 2 << 20

// HandIn records the messages of a JSON array, with their exact bytes, and returns their number with the response. r
// has everything but the messages. With r.Since the array may be empty.
func HandIn(ctx context.Context, api MessageTaker, r AppendMessagesRequest,
	array []byte) (AppendMessagesResponse, int, error) {
	raws, err := transcript.Split(r.Format, array)
	if err != nil {
		return AppendMessagesResponse{}, 0, err
	}
	if len(raws) == 0 && r.Since {
		return AppendMessagesResponse{Session: r.Session}, 0, nil // nothing new
	}
	r.Messages = raws
	if len(array) > maxInline {
		blob, err := api.PutBlob(ctx, bytes.NewReader(array))
		if err != nil {
			return AppendMessagesResponse{}, 0, err
		}
		r.Messages, r.Blob = nil, blob.Hash
	}
	done, err := api.AppendMessages(ctx, r)
	return done, len(raws), err
}
