package graph

// Code is what a finding may be about. Codes are stable.
type Code struct {
	Code, Severity string // "CG205", "warning"
	Means          string
}

// Codes returns all that Check may say, in the order of docs/graph.md.
func Codes() []Code { return codes }

// Sums is the code of the finding with what all model calls send together.
const Sums = "CG509"

var codes = []Code{
	{"CG001", "error", "a file is missing or cannot be read"},
	{"CG002", "error", "the text is not UTF-8"},
	{"CG003", "warning", "code or a comment is never closed, or a comment ends with the next one"},
	{"CG101", "information", "text before the first heading: Fractalic drops it"},
	{"CG102", "error", "an id is taken by an earlier block; of a name that a title gives, a warning"},
	{"CG103", "error", "`{id=…}` is malformed"},
	{"CG104", "warning", "seven or more number signs are no heading"},
	{"CG105", "hint", "no blank line before a heading: Fractalic takes it for text"},
	{"CG106", "information", "an underlined heading opens no block"},
	{"CG107", "warning", "a heading gives its block no name"},
	{"CG108", "information", "Fractalic does not know the name of a block: it is not ASCII"},
	{"CG109", "hint", "a level of headings is skipped"},
	{"CG110", "information", "the target of `replace` has no id, and may lose its name"},
	{"CG111", "warning", "`{id=…}` is not at the end of its heading"},
	{"CG201", "error", "there is no such operation"},
	{"CG202", "error", "text after the name of an operation"},
	{"CG203", "warning", "the operation has no such parameter"},
	{"CG204", "error", "the parameters are not YAML"},
	{"CG205", "warning", "text after an operation: Fractalic drops it"},
	{"CG206", "error", "an operation is text: no blank line before it, or, a warning, written another way; after a heading a hint, as Fractalic takes it for text"},
	{"CG207", "error", "an operation begins before the one before it has ended"},
	{"CG208", "warning", "a line in an operation looks like a heading, and is a comment"},
	{"CG209", "error", "a parameter is given twice"},
	{"CG210", "warning", "YAML leaves out a part of a value, as a comment, a tag or an anchor"},
	{"CG211", "warning", "a parameter behind the blank line that ended its operation"},
	{"CG212", "error", "a value has the wrong type, or is out of range"},
	{"CG213", "error", "a required parameter is missing"},
	{"CG214", "hint", "tools with commas between them are read as a list"},
	{"CG215", "hint", "`context` has no effect beside `block`"},
	{"CG216", "error", "`settings.toml` has no such model, and ctxledger knows none"},
	{"CG217", "error", "`replace` without `to` would delete the operation"},
	{"CG218", "warning", "headings of the result would be deeper than level 6"},
	{"CG219", "warning", "`to` or `mode` on an operation that inserts nothing"},
	{"CG220", "error", "`*` in the target of `@goto`"},
	{"CG301", "hint", "`block_uri` can be left out"},
	{"CG302", "warning", "a block is named both by `file` and by `block`"},
	{"CG303", "information", "`X/*` does not select the own text of X; Fractalic does"},
	{"CG304", "warning", "nothing is selected, or a reference is empty"},
	{"CG305", "error", "there is no such block; of one that an earlier operation replaces, a warning"},
	{"CG306", "warning", "several blocks have the name: the first is taken"},
	{"CG307", "error", "there is no such document"},
	{"CG308", "error", "a path leads out of the workspace"},
	{"CG309", "warning", "only a later operation creates the block"},
	{"CG310", "warning", "an operation that may be jumped over creates the block"},
	{"CG311", "information", "found by its title: another title breaks the reference"},
	{"CG401", "error", "documents import each other in a circle"},
	{"CG402", "error", "documents run each other in a circle"},
	{"CG403", "warning", "this never runs"},
	{"CG404", "warning", "a jump back without an end"},
	{"CG405", "warning", "commands run only if you allow it"},
	{"CG406", "warning", "operations in a result are run"},
	{"CG407", "error", "documents read each other too deep"},
	{"CG408", "warning", "a file is written outside of the folder, or over a document that is read"},
	{"CG409", "warning", "what looks like a secret would be sent"},
	{"CG501", "warning", "a large block is sent by several operations"},
	{"CG502", "error", "the request is larger than the window; above 70% of it, a warning"},
	{"CG503", "warning", "the same is selected twice"},
	{"CG504", "warning", "more than half of what is sent is the text before the operation"},
	{"CG505", "warning", "`X/*` selects more than 10 blocks or 5,000 tokens"},
	{"CG506", "warning", "in a loop the document grows with each pass"},
	{"CG507", "warning", "tools without `tools-turns-max`"},
	{"CG508", "warning", "a tool's result is sent again by later operations"},
	{"CG509", "information", "what all model calls send"},
	{"CG510", "information", "no operation sends the block"},
	{"CG511", "information", "the size of the model's window is not known"},
	{"CG512", "warning", "Fractalic's `enableOperationsVisibility` adds operations to what is sent"},
	{"CG513", "warning", "a change above what was sent: the provider's cache does not serve later operations"},
	{"CG514", "information", "the last operation sends all before it"},
}
