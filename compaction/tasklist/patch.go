package tasklist

import (
	"encoding/json"
	"strings"
)

// pathEdit is an edit of a file that a patch names.
type pathEdit struct {
	path string
	edit edit
}

func only(all []pathEdit) []edit {
	out := make([]edit, len(all))
	for i, e := range all {
		out[i] = e.edit
	}
	return out
}

// patched returns what a patch of Codex does to Markdown files.
func patched(args json.RawMessage) []pathEdit {
	given := plainKeys(args)
	text := anyOf(given, []string{"input", "patch", "patchtext"})
	if text == "" {
		text = str(args)
	}
	if text == "" && strings.HasPrefix(string(args), "*** Begin Patch") {
		text = string(args)
	}
	var out []pathEdit
	var p pathEdit
	end := func() {
		if markdown(p.path) && (p.edit.old != "" || p.edit.new != "") && len(out) < maxEdits {
			p.edit.old = strings.TrimSuffix(p.edit.old, "\n")
			p.edit.new = strings.TrimSuffix(p.edit.new, "\n")
			out = append(out, p)
		}
		p.edit = edit{whole: p.edit.whole}
	}
	var before, after strings.Builder
	flush := func() {
		p.edit.old, p.edit.new = before.String(), after.String()
		before.Reset()
		after.Reset()
		end()
	}
	for line := range strings.Lines(text) {
		plain := strings.TrimRight(line, "\r\n")
		name, marked := strings.CutPrefix(plain, "*** ")
		switch {
		case marked:
			flush()
			p = pathEdit{}
			if file, ok := strings.CutPrefix(name, "Update File: "); ok {
				p.path = file
			} else if file, ok := strings.CutPrefix(name, "Add File: "); ok {
				p = pathEdit{path: file, edit: edit{whole: true}}
			}
		case strings.HasPrefix(plain, "@@"):
			flush()
		case strings.HasPrefix(plain, "+"):
			after.WriteString(plain[1:] + "\n")
		case strings.HasPrefix(plain, "-"):
			before.WriteString(plain[1:] + "\n")
		default:
			same := strings.TrimPrefix(plain, " ") + "\n"
			before.WriteString(same)
			after.WriteString(same)
		}
	}
	flush()
	return out
}

// blocks returns the edits in a text of SEARCH and REPLACE blocks, as Cline, Roo Code and Aider write them.
func blocks(diff string) []edit {
	const outside, search, replace = 0, 1, 2
	var out []edit
	var before, after strings.Builder
	where := outside
	for line := range strings.Lines(diff) {
		plain := strings.TrimRight(line, "\r\n")
		switch {
		case where == outside && strings.HasSuffix(plain, " SEARCH"):
			where = search
		case where == search && (strings.HasPrefix(plain, ":start_line:") || plain == "-------"):
			before.Reset()
		case where == search && plain == "=======":
			where = replace
		case where == replace && strings.HasSuffix(plain, " REPLACE"):
			if len(out) < maxEdits {
				out = append(out, edit{
					old: strings.TrimSuffix(before.String(), "\n"), new: strings.TrimSuffix(after.String(), "\n"),
				})
			}
			before.Reset()
			after.Reset()
			where = outside
		case where == search:
			before.WriteString(plain + "\n")
		case where == replace:
			after.WriteString(plain + "\n")
		}
	}
	return out
}
