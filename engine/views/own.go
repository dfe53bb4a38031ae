package views

import (
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// ownSources returns the agent's own window by origin. ours are the sources of the view, which is what the agent has where
// nothing was measured.
func ownSources(f *core.Folded, g gauge, ours []ledger.Source) []ledger.Source {
	origins := slices.Clone(ours)
	if g.held != nil {
		origins = sources(f, g.agents, g.whole.Slots, g.entire)
	}
	origins = most(origins)
	for i := range origins {
		same := func(s ledger.Source) bool { return s.Kind == origins[i].Kind && s.Name == origins[i].Name }
		if at := slices.IndexFunc(ours, same); at >= 0 {
			origins[i].Sent = ours[at].Tokens
		}
	}
	return origins
}

// entire is what a result takes in the agent's own window, which has no stubs.
func (g gauge) entire(r sessions.Result) int {
	if left, cleared := g.cleared[r.CallID]; cleared {
		return min(left, r.Tokens)
	}
	return r.Tokens
}
