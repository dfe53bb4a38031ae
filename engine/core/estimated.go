package core

import (
	"slices"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Measured reports whether a provider's measurement of any answer is recorded.
func (f *Folded) Measured() bool {
	return slices.ContainsFunc(f.Entries, func(e sessions.Entry) bool { return e.Measured() })
}

// Estimated calls add for each answer with what its request took by our count: new is what was said since the agent's own
// answer before, and all that was held then.
func (f *Folded) Estimated(add func(e *sessions.Entry, fresh, all int)) {
	c := f.Counter("")
	count := func(n int) int { return c.Of(n).N }
	held, said, after := 0, 0, map[int64]int{} // o200k_base tokens; what compactions leave, by their entries
	for _, r := range f.Records {
		after[f.At[r.ID]] = r.After
	}
	had := map[string]int{} // what each agent has had of all that was said
	group := ""
	for i := range f.Entries {
		e := &f.Entries[i]
		if n, compacted := after[e.Seq]; compacted { // the agent reads the compacted view again
			held, said, group = n, said+n, ""
			for agent := range had {
				had[agent] = said - n
			}
		}
		if e.Kind != sessions.KindMessage || e.Hidden {
			continue
		}
		answer := e.Role == transcript.RoleAssistant
		if answer && (e.Group == "" || e.Group != group) {
			add(e, count(min(said-had[e.Author], held)), count(held))
			had[e.Author] = said + e.Tokens
		}
		group = e.Group
		held, said = held+e.Tokens, said+e.Tokens
	}
}
