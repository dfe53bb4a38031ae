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
	Tree     string    `json:"tree,omitempty"` // the root of the tree that Path is relative to; "": the workspace
	Op       Op        `json:"op"`
	Source   Source    `json:"source"`
	Time     time.Time `json:"time"`
	HashFrom string    `json:"hash_from,omitempty"` // SHA-256 before, when known
	HashTo   string    `json:"hash_to,omitempty"`   // SHA-256 after, when known
	Before   time.Time `json:"before,omitzero"`     // of an observed change: since when the file was in its old state
	Large    bool      `json:"large,omitempty"`     // too large to hash: detected by size and time
	// Reported says of an observed change that its session's own record has it too: its attribution is final.
	Reported bool `json:"reported,omitempty"`
	// Told is the operation in the session's record, if it differs from the observed one.
	Told Op `json:"told,omitempty"`
	// Candidates are the calls that ran when the file changed, if there were several, or that had just ended: one of
	// them or an external program changed it. Then Session is "".
	Candidates []Candidate `json:"candidates,omitempty"`
}

// Candidate is a call that may have changed a file.
type Candidate struct {
	Session string `json:"session"`
	Intent  string `json:"intent"`
}

// Stale is a file that a session has read, or written, and that another one or an external program changed afterwards.
type Stale struct {
	Path    string    `json:"path"`
	ReadSeq int64     `json:"read_seq"`        // the entry of the session's newest read
	Wrote   bool      `json:"wrote,omitempty"` // it has only written the file: ReadSeq is the entry of the newest write
	Gone    bool      `json:"gone,omitempty"`  // the file was deleted
	Changed time.Time `json:"changed"`
	Seen    bool      `json:"seen,omitempty"` // Changed is when that was first seen: the file itself is older
	By      string    `json:"by"`             // the session that changed it, External, Several or After
	// Subagent says that By is a subagent of the session.
	Subagent bool `json:"subagent,omitempty"`
}

// Words says what happened to the file, and what the session had done with it: "changed", "read".
func (s Stale) Words() (happened, knew string) {
	happened, knew = "changed", "read"
	if s.Gone {
		happened = "deleted"
	}
	if s.Wrote {
		knew = "wrote"
	}
	return happened, knew
}

// Who changed a file, when it was not one session.
const (
	External = "external" // no session
	Several  = "several"  // one of several calls that ran at the time
	After    = "after"    // a call that had just ended, or somebody after it
)

// Who says in words who changed a file, from what Stale has.
func Who(by string, subagent bool) string {
	switch {
	case by == External:
		return "outside the session"
	case by == Several:
		return "by one of several calls"
	case by == After:
		return "by the agent or after its call"
	case subagent:
		return "by its subagent " + by
	}
	return "by session " + by
}

// By says who made the change: the session, External, Several or After.
func (c Change) By() string {
	switch {
	case c.Session != "":
		return c.Session
	case len(c.Candidates) > 1:
		return Several
	case len(c.Candidates) == 1:
		return After
	}
	return External
}
