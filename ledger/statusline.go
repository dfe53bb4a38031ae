package ledger

import (
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// StatusLineRequest asks for the figures of a line that an agent shows while it works.
type StatusLineRequest struct {
	Host   string `json:"host"`
	HostID string `json:"host_id"` // the session as its host names it; "": not known
}

// StatusLine has figures that are read in milliseconds, however long the session is.
type StatusLine struct {
	// Session is ours; "": it is not recorded yet, and of what follows only Today is known.
	Session string `json:"session,omitempty"`
	// Today is what is recorded of the answers of all sessions of the workspace since midnight, subagents' included.
	Today   sessions.Cost   `json:"today"`
	Held    tokens.Count    `json:"held"`   // as in Use
	Window  int             `json:"window"` // as in Use
	Warned  []BudgetWarning `json:"warned,omitempty"`
	Savings Savings         `json:"savings"`
	Reduced *ReducedUse     `json:"reduced,omitempty"` // as in ProxyUse
	Limits  []Spent         `json:"limits,omitempty"`
}
