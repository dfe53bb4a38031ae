package intents

import (
	"encoding/json"
	"strings"
)

// Edit is one replacement that a call makes in a file.
type Edit struct {
	Path     string // as the call gives it
	Old, New string
	Whole    bool // New is the whole file
	All      bool // each time that Old occurs
}

// maxEdits is how many edits of one call are returned.
const maxEdits = 100

// oldTextArgs are the arguments under which hosts pass the text that an edit replaces, lower-case and without
// underscores.
var oldTextArgs = []string{"oldstring", "oldstr", "oldtext", "search", "targetcontent", "original"}

// Edits returns what a call that writes or patches files replaces by what: the arguments of common tools, several edits
// in one call, blocks of SEARCH and REPLACE, and patches as Codex writes them. Other calls have none.
func Edits(name string, args json.RawMessage) []Edit {
	m, a := classify(name, args)
	switch m.Op {
	case OpWrite:
		if content := a.texts(contentArgs); len(content) > 0 {
			return []Edit{{Path: m.Target, New: content[0], Whole: true}}
		}
	case OpPatch:
		out := patchEdits(a, args)
		for _, one := range a.edits() {
			out = appendEdit(out, m.Target, readArgs(one))
		}
		if out = appendEdit(out, m.Target, a); m.Target != "" {
			for _, diff := range a.texts(patchArgs) {
				out = append(out, searchBlocks(m.Target, diff)...)
			}
		}
		return out[:min(len(out), maxEdits)]
	}
	return nil
}

// replacing are the arguments for the new text of an edit that has an old one.
var replacing = []string{"newstring", "newstr", "newtext", "replace", "replacement", "replacementcontent", "inserttext"}

func appendEdit(out []Edit, path string, a arguments) []Edit {
	all := string(a["replaceall"]) == "true"
	e := Edit{Path: path, Old: a.first(oldTextArgs), New: a.first(replacing), All: all}
	if e.Old == "" && e.New == "" {
		return out
	}
	return append(out, e)
}

// patchText returns a patch that names its files, as Codex writes it, "" for none.
func patchText(a arguments, args json.RawMessage) string {
	text := a.first([]string{"input", "patch", "patchtext"})
	if text == "" && len(args) > 0 && args[0] == '"' {
		_ = json.Unmarshal(args, &text) // some hosts pass nothing but the patch
	}
	if !strings.Contains(text, "*** Begin Patch") {
		return ""
	}
	return text
}

// patched returns the file that a patch writes, "" if that is not the only thing that it does.
func patched(patch string) (file string) {
	for line := range strings.Lines(patch) {
		head, isHead := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "*** ")
		updated, updates := strings.CutPrefix(head, "Update File: ")
		added, adds := strings.CutPrefix(head, "Add File: ")
		moves := strings.HasPrefix(head, "Delete File: ") || strings.HasPrefix(head, "Move to: ")
		switch {
		case !isHead:
		case moves, (updates || adds) && file != "":
			return ""
		case updates:
			file = updated
		case adds:
			file = added
		}
	}
	return file
}

// patchEdits returns the edits of a patch that names its files.
func patchEdits(a arguments, args json.RawMessage) []Edit {
	text := patchText(a, args)
	var out []Edit
	var e Edit
	var before, after strings.Builder
	flush := func() {
		e.Old, e.New = strings.TrimSuffix(before.String(), "\n"), strings.TrimSuffix(after.String(), "\n")
		if e.Path != "" && e.Old != e.New && len(out) < maxEdits {
			out = append(out, e)
		}
		before.Reset()
		after.Reset()
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		head, isHead := strings.CutPrefix(line, "*** ")
		switch {
		case isHead:
			flush()
			file, updates := strings.CutPrefix(head, "Update File: ")
			added, adds := strings.CutPrefix(head, "Add File: ")
			switch {
			case updates:
				e = Edit{Path: file}
			case adds:
				e = Edit{Path: added, Whole: true}
			case !strings.HasPrefix(head, "Move to: "):
				e = Edit{}
			}
		case strings.HasPrefix(line, "@@"):
			flush()
		case strings.HasPrefix(line, "+"):
			after.WriteString(line[1:] + "\n")
		case strings.HasPrefix(line, "-"):
			before.WriteString(line[1:] + "\n")
		default:
			same := strings.TrimPrefix(line, " ") + "\n"
			before.WriteString(same)
			after.WriteString(same)
		}
	}
	flush()
	return out
}

// searchBlocks returns the edits in a text of SEARCH and REPLACE blocks, as Cline, Roo Code and Aider write them.
func searchBlocks(path, diff string) []Edit {
	const outside, search, replace = 0, 1, 2
	var out []Edit
	var before, after strings.Builder
	where := outside
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case where == outside && strings.HasSuffix(line, " SEARCH"):
			where = search
		case where == search && (strings.HasPrefix(line, ":start_line:") || line == "-------"):
			before.Reset()
		case where == search && line == "=======":
			where = replace
		case where == replace && strings.HasSuffix(line, " REPLACE"):
			if len(out) < maxEdits {
				out = append(out, Edit{Path: path, Old: strings.TrimSuffix(before.String(), "\n"),
					New: strings.TrimSuffix(after.String(), "\n")})
			}
			before.Reset()
			after.Reset()
			where = outside
		case where == search:
			before.WriteString(line + "\n")
		case where == replace:
			after.WriteString(line + "\n")
		}
	}
	return out
}
