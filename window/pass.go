package window

import "slices"

// A pass proposes edits to a view. It is a pure function: what it returns is a proposal, and Decide says
// which proposals are taken, and when: at once what no provider has seen, the rest when it pays.
type pass struct {
	name    string
	asked   bool // its proposals are taken whether they pay or not: the user set its rule, which is a bound
	batched bool // they count only together with those of the batched passes beside it: see enough
	propose func(*scene) []Edit
}

// passes are all there are, in the order in which they run: cheapest first. Each sees the view with the
// edits of those before it, batched ones with those before the batch.
var passes = []pass{
	{"result_cap", false, false, capResults},
	{"replay_cap", false, false, capReplay},
	{"consumed_read", false, false, consumedReads},
	{"superseded_write", false, true, supersededWrites},
	{"repeated_call", false, true, repeatedCalls},
	{"repeated_command", false, true, repeatedCommands},
	{"old_words", false, true, oldWords},
	{"tool_pairs", true, false, pairWindow},
	{"in_turn_tokens", true, false, tokenWindow},
	{evict, true, false, evictResults},
	{"clear", false, false, clearResults},
	{"arguments", false, false, truncateArguments},
}

// evict is the name of the pass that a manifest tells of.
const evict = "evict"

// proposals runs passes[i] and, if it is batched, the batched ones behind it. It returns them, and the
// place of the next pass.
func (s *scene) proposals(i int) (proposed []Edit, next int) {
	of := func(p pass) []Edit {
		edits := p.propose(s)
		for k := range edits {
			edits[k].Pass = p.name
		}
		return edits
	}
	if !passes[i].batched {
		return of(passes[i]), i + 1
	}
	for ; i < len(passes) && passes[i].batched; i++ {
		proposed = append(proposed, of(passes[i])...)
	}
	return s.enough(firsts(proposed)), i
}

// firsts keeps the first one of several edits of a place.
func firsts(edits []Edit) []Edit {
	taken := map[place]bool{}
	return slices.DeleteFunc(edits, func(e Edit) bool {
		again := taken[e.place()]
		taken[e.place()] = true
		return again
	})
}

// enough returns the proposals of a batch if they rewrite so much together that it is worth a change of
// what was sent.
func (s *scene) enough(edits []Edit) []Edit {
	chars := 0
	for _, e := range edits {
		chars += e.chars
	}
	if chars < s.policy.BatchChars {
		return nil
	}
	return edits
}

// askedFor reports whether an edit is of a pass whose proposals are always taken.
func askedFor(e Edit) bool {
	return slices.ContainsFunc(passes, func(p pass) bool { return p.name == e.Pass && p.asked })
}
