package hooks

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// The events that are answered, by Claude Code's names. Stop is none of them: whatever is printed there continues the
// turn.
const (
	SessionStart     = "SessionStart"
	SubagentStart    = "SubagentStart"
	UserPromptSubmit = "UserPromptSubmit"
	PreToolUse       = "PreToolUse"
	PostToolUse      = "PostToolUse"
	PreCompact       = "PreCompact"
	PostCompact      = "PostCompact"
	SessionEnd       = "SessionEnd"
)

// The sources of SessionStart.
const (
	Startup = "startup"
	Resume  = "resume"
	Clear   = "clear"
	Compact = "compact"
)

// Manual is the trigger of a compaction that the user asked for. Claude Code then puts what PreCompact printed into the
// context (seen with 2.1.328).
const Manual = "manual"

// maxID bounds the ids and names of an event, in bytes.
const maxID = 256

// Event is what Claude Code tells a hook. What an event does not have is empty.
type Event struct {
	Name       string          `json:"hook_event_name"`
	SessionID  string          `json:"session_id"`
	Transcript string          `json:"transcript_path"`
	Dir        string          `json:"cwd"`
	Agent      string          `json:"agent_id"`   // of a subagent
	AgentType  string          `json:"agent_type"` // the kind of subagent, by its name
	Prompt     string          `json:"prompt_id"`  // of the user's prompt that is being worked on
	Source     string          `json:"source"`     // of SessionStart
	Mode       string          `json:"permission_mode"`
	Tool       string          `json:"tool_name"`
	Input      json.RawMessage `json:"tool_input"`
	CallID     string          `json:"tool_use_id"`
	Response   json.RawMessage `json:"tool_response"`
	Trigger    string          `json:"trigger"`         // of PreCompact and PostCompact: manual or auto
	Summary    string          `json:"compact_summary"` // of PostCompact
	Reason     string          `json:"reason"`          // of SessionEnd
}

// Decode reads the input of a hook for an event. ok is false for what is no such event of Claude Code: other JSON, an
// unknown or another event, one that does not name its session. Unknown members are ignored.
func Decode(name string, raw []byte) (e Event, ok bool) {
	if json.Unmarshal(raw, &e) != nil {
		return Event{}, false
	}
	known := []string{SessionStart, SubagentStart, UserPromptSubmit, PreToolUse, PostToolUse, PreCompact, PostCompact,
		SessionEnd}
	if !slices.Contains(known, name) || e.Name != "" && e.Name != name || !isID(e.SessionID) {
		return Event{}, false
	}
	e.Name = name
	for _, text := range []string{e.Agent, e.AgentType, e.Prompt, e.Tool, e.CallID} {
		if len(text) > maxID {
			return Event{}, false
		}
	}
	calls := name == PreToolUse || name == PostToolUse
	if calls && (e.CallID == "" || e.Tool == "") {
		return Event{}, false
	}
	return e, true
}

// isID reports whether s can name a session.
func isID(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= maxID && !strings.ContainsAny(s, "/\\\x00\n")
}

// HostID returns the host's id of the session that the event belongs to, as reading session files names it. parent is
// that of the session that started it, if it is a subagent's.
func (e Event) HostID() (id, parent string) {
	if e.Agent == "" {
		return e.SessionID, ""
	}
	return e.SessionID + "/agent-" + strings.TrimPrefix(e.Agent, "agent-"), e.SessionID
}

// File returns the session file of the context that the event belongs to; "" if the event does not say where it is.
func (e Event) File() string {
	switch {
	case e.beside() == "" || e.Agent != "" && !isID(e.Agent):
		return ""
	case e.Agent == "":
		return e.Transcript
	}
	return filepath.Join(e.beside(), "subagents", "agent-"+strings.TrimPrefix(e.Agent, "agent-")+".jsonl")
}

// Saved returns the directory where Claude Code keeps the results of the session that it did not pass on whole; "" if
// the event does not say where its session file is.
func (e Event) Saved() string {
	if e.beside() == "" {
		return ""
	}
	return filepath.Join(e.beside(), "tool-results")
}

// beside returns the directory of the session, which lies beside its file; "" if the event does not say where.
func (e Event) beside() string {
	if !filepath.IsAbs(e.Transcript) || filepath.Ext(e.Transcript) != ".jsonl" {
		return ""
	}
	return filepath.Join(filepath.Dir(filepath.Clean(e.Transcript)), e.SessionID)
}
