package tasklist

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"ctxledger.dev/intents"
)

// file takes a call that writes, edits, reads or deletes a Markdown file.
func (l *List) file(c Call) {
	if !bytes.Contains(c.Args, []byte(".md")) && !bytes.Contains(c.Args, []byte(".markdown")) {
		return
	}
	m := intents.Classify(c.Name, c.Args)
	key := "file:" + path.Clean(m.Target)
	switch {
	case m.Op == intents.OpPatch && m.Target == "":
		for all := patched(c.Args); len(all) > 0; {
			n := 1
			for n < len(all) && all[n].path == all[0].path {
				n++
			}
			l.edit(all[0].path, c.Turn, only(all[:n]))
			all = all[n:]
		}
	case !markdown(m.Target):
	case m.Op == intents.OpDelete:
		delete(l.lists, key)
	case m.Op == intents.OpWrite:
		if content := intents.Written(c.Name, c.Args); len(content) > 0 {
			l.edit(m.Target, c.Turn, []edit{{new: content[0], whole: true}})
		}
	case m.Op == intents.OpPatch:
		l.edit(m.Target, c.Turn, edits(c.Args))
	case m.Op == intents.OpRead && !m.Partial && l.lists[key] == nil:
		// A file that is read has not changed: its list is shown once an edit changes it.
		if content := unnumbered(c.Result); len(content) <= maxContent {
			if tasks := checklist(content, true); len(tasks) >= fewest {
				one := l.get(key, m.Target)
				one.content, one.tasks = content, tasks
			}
		}
	}
}

func markdown(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".markdown":
		return true
	}
	return false
}

// An edit replaces a text by another.
type edit struct {
	old, new string
	all      bool // each time it occurs
	whole    bool // new is the whole file
}

// edit changes the content of a file as far as it is known. Of a file that is not, a text with a checklist in it counts
// as its content.
func (l *List) edit(name string, turn int, edits []edit) {
	if !markdown(name) {
		return
	}
	key := "file:" + path.Clean(name)
	content := ""
	if one := l.lists[key]; one != nil {
		content = one.content
	}
	for _, e := range edits {
		switch {
		case e.whole:
			content = e.new
		case e.old != "" && strings.Contains(content, e.old) && len(content)+len(e.new) <= 2*maxContent:
			content = e.replaced(content)
		case e.old == "" || content == "":
			content += "\n" + e.new
		}
		if len(content) > maxContent {
			content = content[:maxContent]
		}
	}
	tasks := checklist(content, true)
	if len(tasks) < fewest {
		delete(l.lists, key)
		return
	}
	one := l.get(key, name)
	one.content = content
	l.set(one, turn, tasks)
}

// replaced applies an edit to a content that holds its old text.
func (e edit) replaced(content string) string {
	if !e.all {
		return strings.Replace(content, e.old, e.new, 1)
	}
	if n := strings.Count(content, e.old); n*len(e.new) > maxContent {
		return content
	}
	return strings.ReplaceAll(content, e.old, e.new)
}

// The names under which hosts pass the parts of an edit, lower-case and without underscores.
var (
	oldKeys  = []string{"oldstring", "oldstr", "oldtext", "search", "targetcontent", "original"}
	newKeys  = []string{"newstring", "newstr", "newtext", "replace", "replacement", "replacementcontent", "inserttext"}
	editKeys = []string{"edits", "replacements", "changes"}
	diffKeys = []string{"diff", "patch"}
)

// maxEdits is how many edits of one call are applied: each takes the time that the file takes to search.
const maxEdits = 100

// edits returns what a call replaces in its file.
func edits(args json.RawMessage) []edit {
	given := plainKeys(args)
	var out []edit
	for _, key := range editKeys {
		var list []json.RawMessage
		if json.Unmarshal(given[key], &list) == nil {
			for _, one := range list {
				out = appendEdit(out, plainKeys(one))
			}
		}
	}
	out = appendEdit(out, given)
	for _, key := range diffKeys {
		out = append(out, blocks(str(given[key]))...)
	}
	return out[:min(len(out), maxEdits)]
}

func appendEdit(out []edit, given map[string]json.RawMessage) []edit {
	e := edit{old: anyOf(given, oldKeys), new: anyOf(given, newKeys), all: truth(given["replaceall"])}
	if e.old == "" && e.new == "" {
		return out
	}
	return append(out, e)
}

func anyOf(given map[string]json.RawMessage, keys []string) string {
	for _, key := range keys {
		if s := str(given[key]); s != "" {
			return s
		}
	}
	return ""
}

// plainKeys decodes an object by its names in lower case and without underscores.
func plainKeys(raw json.RawMessage) map[string]json.RawMessage {
	given := object(raw)
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make(map[string]json.RawMessage, len(given))
	for _, name := range names {
		plain := strings.ToLower(strings.ReplaceAll(name, "_", ""))
		if _, taken := out[plain]; !taken {
			out[plain] = given[name]
		}
	}
	return out
}

// unnumbered returns what a tool read without the numbers in front of its lines: "   12→text", "12\ttext", "12 | text".
func unnumbered(s string) string {
	if len(s) > 2*maxContent {
		return s[:2*maxContent] // too long for a file that is followed
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		rest := strings.TrimLeft(line, " ")
		n := digits(rest)
		behind := rest[len(n):]
		for _, sep := range []string{"→", "\t", " | ", "|", ": "} {
			if text, ok := strings.CutPrefix(behind, sep); ok && n != "" {
				line = text
				break
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
