package live

import (
	"ctxledger.dev/tokens"
)

// State is what is known at one moment. It never changes.
type State struct {
	Session string          // "": none lives
	Title   string          // of the session, secrets masked; "" without Options.Status
	Model   string          // of its newest answer
	Used    tokens.Count    // of its view; zero without Options.Status
	Fixed   tokens.Count    // what each request carries besides; zero: not measured
	Window  int             // of the model; 0: unknown
	Event   int64           // the newest of the ledger, of any session
	Files   map[string]File // by path as the ledger has it: inside of the workspace relative to its root
	// Problem says in words why nothing is known, and Hint what to do about it.
	Problem, Hint string
}

// File is what the session did with a file.
type File struct {
	Reads  int    // that succeeded
	Tokens int    // that these brought into the view, o200k_base
	Stale  bool   // it has changed since the newest read, by other hands
	By     string // whose: a session, changes.External or changes.Several
}
