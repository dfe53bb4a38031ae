package engine

import (
	"strings"

	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

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

// policyFor returns how much of a session a reader is to see. Errors: invalid for a policy that cannot be
// meant.
func (l *Local) policyFor(s sessions.Session, r Reader) (window.Policy, error) {
	if r.Policy != nil {
		return *r.Policy, r.Policy.Check()
	}
	set := l.settings(s)
	for _, name := range []string{r.Agent, s.Host} {
		if own, has := set.Agents[strings.ToLower(name)]; has {
			return own, nil
		}
	}
	return *set.Policy, nil
}

// edits returns the edits that hold for the reader of a view, in the order in which they were made.
func (f *folded) edits() (all []window.Edit) {
	for _, made := range f.made {
		if made.Agent == "" || strings.EqualFold(made.Agent, f.agent) {
			all = append(all, made.Edits...)
		}
	}
	return all
}
