package changes

import "time"

// Op is what happened to a file.
type Op string

// The operations on a file.
const (
	Created  Op = "created"
	Modified Op = "modified"
	Deleted  Op = "deleted"
)

// Source is how the ledger knows of a change.
type Source string

// The sources, from the surest to the least sure.
const (
	Observed   Source = "observed"   // the ledger saw the file change
	Transcript Source = "transcript" // the agent's host reported it
	Inferred   Source = "inferred"   // concluded, for example from a shell command
)

// Change is what happened to one file.
type Change struct {
	ID       int64     `json:"id"`                // order of recording in the ledger, from 1
	Session  string    `json:"session,omitempty"` // "" for an external change
	Seq      int64     `json:"seq,omitempty"`     // the log entry that reports it
	Turn     int       `json:"turn,omitempty"`    // 1-based
	Agent    string    `json:"agent,omitempty"`
	Intent   string    `json:"intent,omitempty"` // the intent it is attributed to
	Path     string    `json:"path"`             // relative to the workspace when inside it
	Outside  bool      `json:"outside,omitempty"`
	Op       Op        `json:"op"`
	Source   Source    `json:"source"`
	Time     time.Time `json:"time"`
	HashFrom string    `json:"hash_from,omitempty"` // SHA-256 before, when known
	HashTo   string    `json:"hash_to,omitempty"`   // SHA-256 after, when known
}

// Stale is a file that a session has read and that changed afterwards by other hands.
type Stale struct {
	Path    string    `json:"path"`
	ReadSeq int64     `json:"read_seq"` // the entry of the session's newest read
	Changed time.Time `json:"changed"`
	By      string    `json:"by"` // the session that changed it, or "external"
}
