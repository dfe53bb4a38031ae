package live

import (
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// State is the state of the session that is followed. A value never changes.
type State struct {
	Session string       // "": none
	Host    string       // whose session it is: "claude-code"
	Title   string       // of the session, secrets masked
	Model   string       // of the newest answer; without a session that of the newest one: texts are counted for it
	Updated time.Time    // of the newest entry
	Others  []Other      // other sessions that are live, the fullest first
	Near    bool         // it works in a terminal of this window
	Held    tokens.Count // by the agent's window
	Window  int          // of the model; 0: unknown
	// WindowFrom says in words what Window rests on.
	WindowFrom string
	// CompactsAt is where the host compacts automatically, as far as is known, and CompactsFrom says in words what that rests on.
	CompactsAt   int
	CompactsFrom string
	Use          ledger.Use // brief: what was paid for what each request carries, and in which session
	Learnt       Learnt
	Hosts        map[string]ledger.HostModel // of the agents' sessions, the newest of each: see ledger.HostModels
	Event        int64                       // the newest of the ledger, of any session
	Files        map[string]File             // by path in the ledger: relative to the root in the workspace
	// Warning is the newest one about the session's input since its last compaction: see ledger.BudgetWarning. "": none.
	Warning string
	// Reading: session files are still being read, or nothing is known yet.
	Reading bool
	// Problem says why there is no data, Hint what to do.
	Problem, Hint string
}

// Other is a session that is live beside the one that is followed.
type Other struct {
	Session string       `json:"session"`
	Title   string       `json:"title"` // secrets masked
	Model   string       `json:"model"`
	Held    tokens.Count `json:"held"`
	Window  int          `json:"window"` // of the model; 0: unknown
	// CompactsAt is as in State.
	CompactsAt int `json:"compactsAt"`
}

// fullness returns what a window holds in percent; 0: not known.
func (o Other) fullness() int {
	if o.Window == 0 {
		return 0
	}
	return int(100 * int64(o.Held.N) / int64(o.Window))
}

// Learnt is what the ledger has learnt of the model that is counted for.
type Learnt struct {
	Model string // "": none
	State string // of its tokens.Estimator; "": nothing
}

// File is what the session did with a file.
type File struct {
	Touched bool         // it read or wrote the file, or tried to
	Whole   bool         // its newest read, or try, was for all of the file
	Reads   int          // that succeeded
	Took    tokens.Count // by these reads: see ledger.Use.Scale
	Dropped bool         // of these reads the window has only Left: the host has compacted since, or gone back
	Left    tokens.Count
	Window  tokens.Count // of all its calls on the file: what the window has of it
	// Measured says that these counts follow from what the provider counted for the session; else they are estimates.
	Measured bool
	Fresh    bool   // known to be as the session knows it
	Part     bool   // the session read parts of it, which are known to be as it knows them
	Moved    bool   // these have other line numbers now
	Stale    bool   // changed after the newest read, or without one the newest write, not by the session
	Gone     bool   // it was deleted then
	By       string // who changed it: see changes.Stale
	Sub      bool   // By is a subagent of the session
}

// Known reports whether the session has read the file, or has what it wrote of it.
func (f File) Known() bool {
	return f.Reads > 0 || f.Fresh || f.Stale || f.Touched && f.Window.N > 0
}

// Lost reports whether the session's window has nothing of the file that it read.
func (f File) Lost() bool { return f.Dropped && f.Left.N == 0 && !f.Fresh && !f.Part && !f.Stale }

// Knew says how it came there.
func (f File) Knew() string {
	if f.Reads > 0 && (!f.Dropped || f.Left.N > 0) {
		return "read"
	}
	return "wrote"
}
