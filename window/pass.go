package window

// A pass proposes edits to a view. It is a pure function: what it returns is a proposal, and Decide says
// which proposals are taken, and when.
type pass struct {
	name    string
	when    moment
	propose func(*scene) []Edit
}

// moment says what has to be so that the proposals of a pass are taken.
type moment int

const (
	// birth: at once for what no provider has seen, since that costs nothing; else like pays.
	birth moment = iota
	// pays: when what is freed is worth what rewriting the provider's cache costs.
	pays
	// asked: whenever its own rule asks for it, which the user set.
	asked
)

// passes are all there are, in the order in which they run: cheapest first. Each sees the view with the
// edits of those before it.
var passes = []pass{
	{"result_cap", birth, capResults},
	{"replay_cap", pays, capReplay},
	{"consumed_read", pays, consumedReads},
	{"superseded_write", pays, supersededWrites},
	{"repeated_call", pays, repeatedCalls},
	{"repeated_command", pays, repeatedCommands},
	{"old_words", pays, oldWords},
	{"tool_pairs", asked, pairWindow},
	{"in_turn_tokens", asked, tokenWindow},
	{"clear", pays, clearResults},
	{"arguments", pays, truncateArguments},
}
