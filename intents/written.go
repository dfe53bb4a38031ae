package intents

import (
	"encoding/json"
	"strings"

	"ctxledger.dev/internal/shell"
)

// The arguments under which hosts pass what is written, lower-case and without underscores.
var (
	contentArgs = []string{"content", "contents", "filetext", "text", "codecontent", "newsource"}
	newTextArgs = []string{"newstring", "newstr", "newtext", "replacement", "replace", "inserttext", "codeedit",
		"newsource", "content", "text"}
	patchArgs = []string{"patch", "diff", "input"}
	editsArgs = []string{"edits", "replacements", "changes"}
)

// maxWritten is how many texts one call writes at most, as far as Written looks.
const maxWritten = 1_000

// Written returns the texts that a call would write to files: the content of a write, the new texts of a
// patch without the old ones, and the here-documents of a command. It is what a guard looks at before the call
// runs.
func Written(name string, args json.RawMessage) []string {
	m, a := classify(name, args)
	switch m.Op {
	case OpWrite:
		return a.texts(contentArgs)
	case OpPatch:
		out := a.texts(newTextArgs)
		for _, diff := range a.texts(patchArgs) {
			out = append(out, added(diff))
		}
		for _, edit := range a.edits() {
			out = append(out, readArgs(edit).texts(newTextArgs)...)
		}
		return out
	case OpShell:
		return shell.HereDocuments(m.Command)
	}
	return nil
}

// texts returns those of the named arguments that are strings with something in them, in the order of names.
func (a arguments) texts(names []string) (out []string) {
	for _, n := range names {
		if s := a.text(n); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// edits returns the single edits of a call that makes several.
func (a arguments) edits() (out []json.RawMessage) {
	for _, n := range editsArgs {
		var list []json.RawMessage
		if len(a[n]) > 0 && json.Unmarshal(a[n], &list) == nil {
			out = append(out, list...)
		}
	}
	return out[:min(len(out), maxWritten)]
}

// added returns the lines that a patch adds, without their marks.
func added(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		if text, is := strings.CutPrefix(line, "+"); is && !strings.HasPrefix(line, "+++ ") {
			b.WriteString(text)
		}
	}
	return b.String()
}
