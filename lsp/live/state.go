package live

import (
	"time"

	"ctxledger.dev/tokens"
)

// State is the state of the session that is followed. A value never changes.
type State struct {
	Session string       // "": none
	Host    string       // whose session it is: "claude-code"
	Title   string       // of the session, secrets masked; "" without Options.Status
	Model   string       // of the newest answer
	Updated time.Time    // of the newest entry
	Others  int          // other sessions that are live
	Near    bool         // it works in a terminal of this window
	Held    tokens.Count // by the agent's window; zero without Options.Status
	Window  int          // of the model; 0: unknown
	// WindowFrom says in words what Window rests on; "" without Options.Status.
	WindowFrom string
	// CompactsAt is what the window held when the host compacted by itself; 0: not known, or without Options.Status.
	CompactsAt int
	// Requests and CarriedDollars are what was paid for what each request carries, see ledger.Use; zero without
	// Options.Status.
	Requests       int
	CarriedDollars *float64
	Learnt         Learnt
	Event          int64           // the newest of the ledger, of any session
	Files          map[string]File // by path in the ledger: relative to the root in the workspace
	// Warned are the warnings about the session's input that came with Event: see ledger.BudgetWarning.
	Warned []string
	// Problem says why there is no data, Hint what to do.
	Problem, Hint string
}

// Learnt is what the ledger has learnt of the model that is counted for.
type Learnt struct {
	Model string // "": none
	State string // of its tokens.Estimator; "": nothing
}

// File is what the session did with a file.
type File struct {
	Touched bool   // it read or wrote the file, or tried to
	Reads   int    // that succeeded
	Tokens  int    // of these reads in the view, o200k_base
	Fresh   bool   // known to be as the session knows it
	Stale   bool   // changed after the newest read, not by the session
	By      string // who changed it: a session, changes.External or changes.Several
}
