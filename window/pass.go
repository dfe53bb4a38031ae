package window

import "slices"

// A pass proposes edits to a view. It is a pure function: what it returns is a proposal. Decide accepts proposals,
// at once for what no provider has seen, the rest when it pays.
type pass struct {
	name string
	// asked reports whether its proposals are taken whether they pay or not: the user set its bound. Rules without a
	// default are in effect only then.
	asked   func(Policy) bool
	propose func(*scene) []Edit
	batched func(*scene, *batch) // instead of propose: counted together with its neighbours
}

// passes are all there are, in the order in which they run: cheapest first. Each sees the view with the
// edits of those before it, batched ones with those before the batch.
var passes = []pass{
	{name: "result_cap", asked: inForce, propose: capResults},
	{name: "user_cap", asked: func(p Policy) bool { return p.UserSet }, propose: capUser},
	{name: "replay_cap", asked: func(p Policy) bool { return p.ReplaySet }, propose: capReplay},
	{name: "consumed_read", asked: never, propose: consumedReads},
	{name: "superseded_write", asked: batchSet, batched: supersededWrites},
	{name: "repeated_call", asked: batchSet, batched: repeatedCalls},
	{name: "repeated_command", asked: batchSet, batched: repeatedCommands},
	{name: "repeated_text", asked: batchSet, batched: repeatedTexts},
	{name: "old_words", asked: batchSet, batched: oldWords},
	{name: "tool_pairs", asked: inForce, propose: pairWindow},
	{name: "in_turn_tokens", asked: inForce, propose: tokenWindow},
	{name: evict, asked: inForce, propose: evictResults},
	{name: clearing, asked: func(p Policy) bool { return p.Clear.Set }, propose: clearResults},
	{name: "arguments", asked: func(p Policy) bool { return p.Arguments.Set }, propose: truncateArguments},
}

func inForce(Policy) bool    { return true }
func never(Policy) bool      { return false }
func batchSet(p Policy) bool { return p.BatchSet }

// evict is the name of the pass that writes a manifest, clearing that of the step before a compaction.
const (
	evict    = "evict"
	clearing = "clear"
)

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

// askedFor reports whether an edit obeys a bound that the user set.
func (p Policy) askedFor(e Edit) bool {
	return slices.ContainsFunc(passes, func(x pass) bool { return x.name == e.Pass && x.asked(p) })
}
