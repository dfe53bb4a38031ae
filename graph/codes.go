package graph

// Code is what a finding may be about. Codes are stable.
type Code struct {
	Code, Severity string // "CG205", "warning"
	Means          string
	Remedy         string // one that removes it
}

// Codes returns all that Check may say, in the order of docs/graph.md.
func Codes() []Code { return codes }

// Sums is the code of the finding with what all model calls send together.
const Sums = "CG509"

var codes = []Code{
	{"CG001", "error", "a file is missing or cannot be read", "correct the path, or make the file readable"},
	{"CG002", "error", "the text is not UTF-8", "save it as UTF-8"},
	{"CG003", "warning", "code or a comment is never closed, or a comment ends with the next one", "end it: with the line that began the code, or `-->`"},
	{"CG101", "information", "text before the first heading: Fractalic drops it", "put a heading above it"},
	{"CG102", "error", "an earlier block has this id; a warning if it has it from its title", "choose another id"},
	{"CG103", "error", "`{id=…}` is malformed", "begin with a letter; letters, digits, `-` and `_` may follow"},
	{"CG104", "warning", "seven or more number signs do not make a heading", "write six or fewer"},
	{"CG105", "hint", "no blank line before a heading: Fractalic takes it for text", "insert one"},
	{"CG106", "information", "an underlined heading does not open a block", "write it with `#`"},
	{"CG107", "warning", "a heading gives its block no name", "add `{id=…}`"},
	{"CG108", "information", "Fractalic does not know the name of a block: it is not ASCII", "add an ASCII id if Fractalic runs it"},
	{"CG109", "hint", "a level of headings is skipped", "use the next level"},
	{"CG110", "information", "the target of `replace` has no id, and may lose its name", "add `{id=…}`"},
	{"CG111", "warning", "`{id=…}` is not at the end of its heading", "move it there"},
	{"CG201", "error", "there is no such operation", "correct the name"},
	{"CG202", "error", "text after the name of an operation; less if it may be a mention", "write it below, as a parameter"},
	{"CG203", "warning", "the operation has no such parameter", "correct the name, or remove it"},
	{"CG204", "error", "the parameters are not YAML", "do what the message says"},
	{"CG205", "warning", "text after an operation: Fractalic drops it", "move it above, or below a heading"},
	{"CG206", "error", "an operation is read as text: no blank line precedes it; a warning if it is written another way, a hint if only Fractalic reads it so", "insert a blank line, and write `@name` alone"},
	{"CG207", "error", "an operation begins before the one before it has ended", "insert a blank line"},
	{"CG208", "warning", "a line in an operation looks like a heading, and is a comment", "insert a blank line before a heading"},
	{"CG209", "error", "a parameter is given twice", "remove one"},
	{"CG210", "warning", "YAML leaves out a part of a value, as a comment, a tag or an anchor", "quote the value"},
	{"CG211", "warning", "a parameter after the blank line that ended its operation", "move it into the operation"},
	{"CG212", "error", "a value has the wrong type, or is out of range", "write a value that the message names"},
	{"CG213", "error", "a required parameter is missing", "add it"},
	{"CG214", "hint", "tools with commas between them are read as a list", "write `[a, b]`"},
	{"CG215", "hint", "`context` has no effect beside `block`", "remove `context`"},
	{"CG216", "error", "`settings.toml` has no such model, and ctxledger knows none", "correct the name, or add the model there"},
	{"CG217", "error", "`replace` without `to` would delete the operation", "add `to`, or write `append`"},
	{"CG218", "warning", "headings of the result would be deeper than level 6", "leave `header-auto-align` out"},
	{"CG219", "warning", "`to` or `mode` on an operation that inserts nothing", "remove it"},
	{"CG220", "error", "`*` in the target of `@goto`", "name one block"},
	{"CG301", "hint", "`block_uri` can be left out", "write the path alone"},
	{"CG302", "warning", "`file` and `block` both name a block", "remove one"},
	{"CG303", "information", "`X/*` does not select the own text of X; Fractalic does", "write `[X, X/*]` for both"},
	{"CG304", "warning", "nothing is selected, or a reference is empty", "name another block, or none"},
	{"CG305", "error", "there is no such block; information if an operation replaces it, or `@run` gives it", "correct the name, or write the block"},
	{"CG306", "warning", "several blocks have the name: the first is taken", "give each an id, or write a longer path"},
	{"CG307", "error", "there is no such document", "correct the path, or write the document"},
	{"CG308", "error", "a path leads out of the workspace", "use a path inside of it"},
	{"CG309", "warning", "only a later operation creates the block", "move that operation up"},
	{"CG310", "warning", "an operation that may be jumped over creates the block", "move the operation above the jump"},
	{"CG311", "information", "found by its heading: a new one breaks the reference", "add `{id=…}`, or write the id"},
	{"CG401", "error", "documents import each other in a circle", "remove one `@import`"},
	{"CG402", "error", "documents run each other in a circle", "remove one `@run`"},
	{"CG403", "warning", "this never runs", "remove it, or the jump above"},
	{"CG404", "warning", "a jump back without an end", "add `run-once: true`"},
	{"CG405", "warning", "commands run only if you allow it", "read the command before you allow it"},
	{"CG406", "warning", "operations in a result are run", "remove `allow-generated-ops` unless you trust the result"},
	{"CG407", "error", "documents are nested too deeply", "import or run fewer of them in turn"},
	{"CG408", "warning", "a file is written outside of the folder, or over a document that is read", "choose another path"},
	{"CG409", "warning", "what looks like a secret would be sent", "remove it, and replace it where it was valid"},
	{"CG501", "warning", "a large block is sent by several operations", "summarize and replace it"},
	{"CG502", "error", "the request is larger than the window; above 70% of it, a warning", "select less, or use a larger model"},
	{"CG503", "warning", "the same is selected twice", "remove one reference"},
	{"CG504", "warning", "more than half of what is sent is the text before the operation", "name blocks, or write `context: none`"},
	{"CG505", "warning", "`X/*` selects more than 10 blocks or 5,000 tokens", "name those you need"},
	{"CG506", "warning", "in a loop the document grows with each pass", "replace a block, with `to` and `mode`"},
	{"CG507", "warning", "tools without `tools-turns-max`", "add it: 2 to 4 are often enough"},
	{"CG508", "warning", "a tool's result is sent again by later operations", "move it to Source Notes"},
	{"CG509", "information", "what all model calls send", "name fewer blocks in the most expensive"},
	{"CG510", "information", "no operation sends the block", "name it in an operation, or remove it"},
	{"CG511", "information", "the size of the model's window is not known", "give `contextSize` in `settings.toml`"},
	{"CG512", "warning", "Fractalic's `enableOperationsVisibility` adds operations to what is sent", "set it to false"},
	{"CG513", "warning", "a change above what was sent: later operations miss the provider's cache", "write below what was sent"},
	{"CG514", "information", "the last operation sends all before it", "name blocks, or write `context: none`"},
}
