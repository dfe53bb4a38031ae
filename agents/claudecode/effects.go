package claudecode

import (
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// outcome is what is wanted of a toolUseResult that reports a written file.
type outcome struct {
	kind, path, notebook  string
	patch, edits, updated bool // has structuredPatch, edits, updated_file
	newFile               bool // an edit of a file that was not there
	failed                bool
}

// effects returns what the result of a call says about files. Only the tools that write
// (Write, Edit, MultiEdit, NotebookEdit) say so in a form of their own; a failed call has a text
// in its place. Claude Code never reports a deletion.
func (o *outcome) effects() []sessions.Effect {
	path := o.path
	if path == "" && o.updated {
		path = o.notebook
	}
	switch {
	case path == "" || o.failed:
		return nil
	case o.kind == "create" || o.kind == "" && o.newFile:
		return []sessions.Effect{{Path: path, Op: "created"}}
	case o.kind == "update" || o.kind == "" && (o.patch || o.edits || o.updated):
		return []sessions.Effect{{Path: path, Op: "modified"}}
	default:
		return nil // a tool that only reads, or one not known here
	}
}

// take notes one member of a result.
func (o *outcome) take(key, text []byte, v transcript.Span) {
	value := v.In(text)
	switch string(key) {
	case "type":
		o.kind = jsonspan.Text(value, maxID)
	case "filePath":
		o.path = jsonspan.Text(value, maxPath)
	case "notebook_path":
		o.notebook = jsonspan.Text(value, maxPath)
	case "structuredPatch":
		o.patch = true
	case "edits":
		o.edits = true
	case "updated_file":
		o.updated = true
	case "oldString":
		o.newFile = string(value) == `""`
	case "error":
		o.failed = jsonspan.Text(value, maxPath) != ""
	}
}
