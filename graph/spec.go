package graph

import "slices"

// kind is the type of a parameter's value.
type kind byte

const (
	textKind    kind = iota
	blockKind        // one reference to a block: a text, or {block_uri: text}
	blocksKind       // references: as blockKind, or a list of them
	fileKind         // a path to a document
	pathKind         // any path
	boolKind         // true or false
	countKind        // a whole number, at least 1
	shareKind        // a number from 0 to 1
	textsKind        // a list of texts
	toolsKind        // none, all, a name, or a list of names
	modeKind         // append, prepend, replace
	contextKind      // auto, none
)

// parameter is a key that an operation takes.
type parameter struct {
	kind kind
	doc  string // in docs/graph.md
}

// operationSpec is what an operation takes.
type operationSpec struct {
	doc    string
	keys   map[string]parameter
	needs  []string // one of these must be given
	header string   // above what it inserts
	merges bool     // it inserts something
}

// The parameters that several operations take.
var (
	modeKey    = parameter{modeKind, "append (default), prepend or replace"}
	toKey      = parameter{blockKind, "the block that the result goes into; without it, after the operation"}
	onceKey    = parameter{boolKind, "run only at the first visit; false by default"}
	headerKey  = parameter{textKind, "the heading above the result; none for no heading"}
	alignKey   = parameter{boolKind, "shift the result's headings below the enclosing block; false by default"}
	allowKey   = parameter{boolKind, "whether operations in the result run, if the command line allows it"}
	promptKey  = parameter{textKind, "the last message"}
	blocksKey  = parameter{blocksKind, "the blocks that are sent: a path, path/* for what is below it, or a list"}
	fileTarget = parameter{fileKind, "the document, relative to this one"}
)

// inputBlock is the block that the prompt of @run becomes in the document that runs.
const inputBlock = "input-parameters"

// operations is the table of what there is.
var operations = map[string]operationSpec{
	"import": {doc: "inserts a document, or a block of it", needs: []string{"file"}, merges: true,
		keys: map[string]parameter{
			"file": fileTarget, "block": {blockKind, "the block of the document"}, "mode": modeKey, "to": toKey,
			"run-once": onceKey, "header-auto-align": alignKey}},
	"llm": {doc: "asks a model", needs: []string{"prompt", "block"}, header: "# LLM response block", merges: true,
		keys: map[string]parameter{
			"prompt": promptKey, "block": blocksKey, "media": {textsKind, "files that are attached"},
			"save-to-file": {pathKind, "a file in which the answer is also saved"}, "use-header": headerKey,
			"header-auto-align": alignKey, "mode": modeKey, "to": toKey, "provider": {textKind, "the model's provider"},
			"model": {textKind, "the model"}, "temperature": {shareKind, "0 to 1"}, "run-once": onceKey,
			"stop-sequences":      {textsKind, "texts at which the model stops"},
			"tools":               {toolsKind, "none (default), all, a name, or a list of names"},
			"tools-turns-max":     {countKind, "how often the model may call tools"},
			"context":             {contextKind, "auto: all before it is sent, unless block is given; none: nothing is"},
			"allow-generated-ops": allowKey}},
	"run": {doc: "runs a document by itself", needs: []string{"file"}, merges: true,
		header: "# Input Parameters {id=" + inputBlock + "}", keys: map[string]parameter{
			"file": fileTarget, "prompt": promptKey, "block": blocksKey,
			"use-header":        {textKind, "the heading above the prompt, in that document"},
			"header-auto-align": alignKey, "mode": modeKey, "to": toKey, "run-once": onceKey,
			"allow-generated-ops": allowKey}},
	"shell": {doc: "runs a command", needs: []string{"prompt"}, header: "# Shell response block", merges: true,
		keys: map[string]parameter{
			"prompt": {textKind, "the command"}, "use-header": headerKey, "header-auto-align": alignKey,
			"mode": modeKey, "to": toKey, "run-once": onceKey, "allow-generated-ops": allowKey}},
	"return": {doc: "ends the document with a result", needs: []string{"prompt", "block"}, header: "# Return block",
		keys: map[string]parameter{"prompt": promptKey, "block": blocksKey, "use-header": headerKey}},
	"goto": {doc: "goes on at a block", needs: []string{"block"}, keys: map[string]parameter{
		"block": {blockKind, "the block"}, "run-once": onceKey}},
}

// sorted returns the names of a table in order.
func sorted[V any](table map[string]V) []string {
	names := make([]string, 0, len(table))
	for n := range table {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
