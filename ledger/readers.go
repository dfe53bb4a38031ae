package ledger

import "ctxledger.dev/window"

// Reader says for whom a view is: what one agent of a session is shown may be less than what another one is.
// The zero value is whoever the session belongs to.
type Reader struct {
	// Agent is the agent whose next request it is, by its name under agents in ctxledger.yaml; case does not
	// count. "": the session's host. One that is not configured has the policy of everybody. Edits that are
	// made for a named agent hold in its views alone, those for "" in all.
	Agent string `json:"agent,omitempty"`
	// Policy holds for this call, in the place of what is configured. nil: that. Edits that are made by it are as
	// sticky as any: name an agent, too, where they are not to hold for everybody.
	Policy *window.Policy `json:"policy,omitempty"`
}
