package window

import "slices"

// A pass proposes edits to a view. It is a pure function: what it returns is a proposal. Decide accepts proposals,
// at once for what no provider has seen, the rest when it pays.
type pass struct {
	name    string
	asked   bool // its proposals are taken whether they pay or not: the user set its rule, which is a bound
	propose func(*scene) []Edit
	batched func(*scene, *batch) // instead of propose: counted together with its neighbours
}

// passes are all there are, in the order in which they run: cheapest first. Each sees the view with the
// edits of those before it, batched ones with those before the batch.
var passes = []pass{
	{name: "result_cap", propose: capResults},
	{name: "user_cap", propose: capUser},
	{name: "replay_cap", propose: capReplay},
	{name: "consumed_read", propose: consumedReads},
	{name: "superseded_write", batched: supersededWrites},
	{name: "repeated_call", batched: repeatedCalls},
	{name: "repeated_command", batched: repeatedCommands},
	{name: "old_words", batched: oldWords},
	{name: "tool_pairs", asked: true, propose: pairWindow},
	{name: "in_turn_tokens", asked: true, propose: tokenWindow},
	{name: evict, asked: true, propose: evictResults},
	{name: "clear", propose: clearResults},
	{name: "arguments", propose: truncateArguments},
}

// evict is the name of the pass that writes a manifest.
const evict = "evict"

// proposals runs passes[i] and, if it is batched, the batched ones after it. It returns them, and the index of the
// next pass.
func (s *scene) proposals(i int) (proposed []Edit, next int) {
	if p := passes[i]; p.propose != nil {
		return named(p.name, p.propose(s)), i + 1
	}
	var b batch
	for ; i < len(passes) && passes[i].batched != nil; i++ {
		b.pass = passes[i].name
		passes[i].batched(s, &b)
	}
	return b.take(s.policy.BatchChars), i
}

// named sets the pass of edits.
func named(pass string, edits []Edit) []Edit {
	for i := range edits {
		edits[i].Pass = pass
	}
	return edits
}

// askedFor reports whether an edit is of a pass whose proposals are always taken.
func askedFor(e Edit) bool {
	return slices.ContainsFunc(passes, func(p pass) bool { return p.name == e.Pass && p.asked })
}
