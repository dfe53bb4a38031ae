package ledger

import (
	"context"
	"encoding/json"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/sessions"
)

// Hooks takes part in a session while its agent works: an agent's hooks call it. A session that is not recorded yet is
// created, unlisted until its session file is read.
type Hooks interface {
	// BeginSession tells that an agent begins, resumes or continues a session.
	BeginSession(ctx context.Context, r BeginSessionRequest) (BegunSession, error)
	// BeginCall records what a call is about to do, before it runs.
	BeginCall(ctx context.Context, r BeginCallRequest) (BegunCall, error)
	// TakeResult stores the result of a call before the agent reads it, and says what the agent can read instead.
	TakeResult(ctx context.Context, r TakeResultRequest) (TakenResult, error)
	// NoteStage records what happens to a session as a whole.
	NoteStage(ctx context.Context, r NoteStageRequest) (NotedStage, error)
}

// LiveSession names a session as its host does.
type LiveSession struct {
	Host   string `json:"host"`
	HostID string `json:"host_id"`
	// Session is our id, in the place of both, where what was said is passed in: such a session has no id of its host's.
	Session string `json:"session,omitempty"`
	Parent  string `json:"parent,omitempty"` // the host's id of the session that started it, of a subagent
	Dir     string `json:"dir,omitempty"`    // where the host runs
	Agent   string `json:"agent,omitempty"`  // the kind of agent, of a subagent
}

// BeginSessionRequest tells that a session begins or goes on.
type BeginSessionRequest struct {
	Mutation
	LiveSession
	// Emptied says that the agent sees nothing of what was in the context before: it compacted or cleared it.
	Emptied bool `json:"emptied,omitempty"`
	// Compacted says that a summary of the host takes the place of what was there.
	Compacted bool `json:"compacted,omitempty"`
}

// BegunSession is a session that begins or goes on. What its context has and is owed is in Session.Hooked.
type BegunSession struct {
	Session sessions.Session `json:"session"`
}

// BeginCallRequest announces a call.
type BeginCallRequest struct {
	Mutation
	LiveSession
	CallID string          `json:"call_id"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
}

// BegunCall is a call that is about to run.
type BegunCall struct {
	Session string `json:"session"`
	// Intent is what the call is recorded as; nil for a call that changes nothing.
	Intent *intents.Intent `json:"intent,omitempty"`
	// Stale is the file that the call changes, if others changed it since the session read it.
	Stale *changes.Stale `json:"stale,omitempty"`
	// Owes says that the context has to be told something after a compaction.
	Owes bool `json:"owes,omitempty"`
}

// TakeResultRequest hands in the result of a call that succeeded.
type TakeResultRequest struct {
	Mutation
	LiveSession
	CallID string          `json:"call_id"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	// Text is what the agent is to read; Blob names a stored blob with it, if it is too long for a frame. The request
	// consumes the blob.
	Text []byte `json:"text,omitempty"`
	Blob string `json:"blob,omitempty"`
	// Paged says that the agent asked for a part of something: such a result stays however large it is, unless it is
	// repeated.
	Paged bool `json:"paged,omitempty"`
	// Earlier is the call whose result has the same text, but for the numbers of lines, if the context is known to have that;
	// "": none is. Lines says which lines of that result it is.
	Earlier string         `json:"earlier,omitempty"`
	Lines   filetext.Lines `json:"lines,omitzero"`
	// Limits say what is replaced.
	Limits ResultLimits `json:"limits,omitzero"`
}

// ResultLimits say from which length on results are replaced, in characters. 0: never.
type ResultLimits struct {
	Above    int `json:"above,omitempty"`    // a longer result
	Repeated int `json:"repeated,omitempty"` // a result of at least this length with an Earlier one
	// Terminal is for the output of a command of which a terminal shows at least so much less.
	Terminal int `json:"terminal,omitempty"`
}

// Least returns the length below which no result is replaced; 0 if none is at all.
func (l ResultLimits) Least() int {
	least := 0
	for _, n := range []int{l.Above, l.Repeated, l.Terminal} {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// Detach implements Attached: the text.
func (r *TakeResultRequest) Detach() (any, [][]byte) {
	bare := *r
	bare.Text = nil
	return bare, [][]byte{r.Text}
}

// Attach implements Attached.
func (r *TakeResultRequest) Attach(data [][]byte) error {
	return attach(data, 1, func(int) *[]byte { return &r.Text })
}

// TakenResult says what replaces a result.
type TakenResult struct {
	// Stub replaces the text of the result in the context; "": it stays. What it names is stored.
	Stub string `json:"stub,omitempty"`
	// Handle reads the text back.
	Handle string `json:"handle,omitempty"`
	// Repeated says that the same text is in the context already.
	Repeated bool `json:"repeated,omitempty"`
}

// Stage is a moment in the life of a session.
type Stage string

// The stages.
const (
	StageCompacting Stage = "compacting" // its host is about to compact it
	StageCompacted  Stage = "compacted"  // its host has compacted it
	StageShown      Stage = "shown"      // a hook has put texts into its context: they were written, not only made
	StageEnded      Stage = "ended"      // its agent has ended
	StageSettled    Stage = "settled"    // a person has accepted or dismissed a candidate for memory of it
)

// NoteStageRequest records a stage.
type NoteStageRequest struct {
	Mutation
	LiveSession
	Stage Stage `json:"stage"`
	// Digests are those of the texts that were shown, with StageShown, or the ids of candidates, with StageSettled.
	Digests []string `json:"digests,omitempty"`
	// Context is how often the context had been emptied when the texts were shown. In a later one they do not count.
	Context int `json:"context,omitempty"`
	// Summary says what the host's summary kept, and Owed is what the agent is to be told of the rest, with
	// StageCompacted. Without Summary the record is owed, until that is known.
	Summary *sessions.HostSummary `json:"summary,omitempty"`
	Owed    string                `json:"owed,omitempty"`
}

// NotedStage is a session at a stage.
type NotedStage struct {
	Session sessions.Session `json:"session"`
	// Again says that the stage was told already, a moment ago: some hosts repeat themselves.
	Again bool `json:"again,omitempty"`
}
