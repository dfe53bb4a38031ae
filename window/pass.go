package window

import "slices"

// A pass proposes edits to a view. It is a pure function: what it returns is a proposal, and Decide says
// which proposals are taken, and when: at once what no provider has seen, the rest when it pays.
type pass struct {
	name    string
	asked   bool // its proposals are taken whether they pay or not: the user set its rule, which is a bound
	propose func(*scene) []Edit
}

// passes are all there are, in the order in which they run: cheapest first. Each sees the view with the
// edits of those before it.
var passes = []pass{
	{"result_cap", false, capResults},
	{"replay_cap", false, capReplay},
	{"consumed_read", false, consumedReads},
	{"superseded_write", false, supersededWrites},
	{"repeated_call", false, repeatedCalls},
	{"repeated_command", false, repeatedCommands},
	{"old_words", false, oldWords},
	{"tool_pairs", true, pairWindow},
	{"in_turn_tokens", true, tokenWindow},
	{"clear", false, clearResults},
	{"arguments", false, truncateArguments},
}

// askedFor reports whether an edit is of a pass whose proposals are always taken.
func askedFor(e Edit) bool {
	return slices.ContainsFunc(passes, func(p pass) bool { return p.name == e.Pass && p.asked })
}
