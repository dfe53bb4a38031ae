package core

import (
	"strings"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// policyFor returns how much of a session a reader is to see. Errors: invalid for a policy that cannot be
// meant.
func (l *Ledger) policyFor(s sessions.Session, r ledger.Reader) (window.Policy, error) {
	if r.Policy != nil {
		return *r.Policy, r.Policy.Check()
	}
	set := l.Settings(s)
	for _, name := range []string{r.Agent, s.Host} {
		if own, has := set.Agents[strings.ToLower(name)]; has {
			return own, nil
		}
	}
	return *set.Policy, nil
}

// Edits returns the edits that hold for the reader of a view, in the order in which they were made.
func (f *Folded) Edits() (all []window.Edit) {
	for _, made := range f.made {
		if made.Agent == "" || strings.EqualFold(made.Agent, f.Agent) {
			all = append(all, made.Edits...)
		}
	}
	return all
}
