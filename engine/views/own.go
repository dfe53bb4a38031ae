package views

import (
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window"
)

// ownSources returns the agent's own window by origin. ours are the sources of the view, which is what the agent has where
// nothing was measured.
func ownSources(f *core.Folded, g gauge, ours []ledger.Source) []ledger.Source {
	origins := slices.Clone(ours)
	if g.held != nil {
		origins = sources(f, g.agents, g.whole.Slots, entire)
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

// ownFill is what the conversation is made of as the agent has it: with whole results instead of our stubs.
func ownFill(whole window.View) window.Fill {
	fill := whole.Fill
	fill[window.Results] += fill[window.Stubs] + whole.Stubbed
	fill[window.Stubs] = 0
	return fill
}
