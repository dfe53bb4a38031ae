package tasklist

import (
	"bytes"
	"path"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/pattern"
)

// file takes a call that writes, edits, reads or deletes a Markdown file.
func (l *List) file(c Call) {
	if !bytes.Contains(c.Args, []byte(".md")) && !bytes.Contains(c.Args, []byte(".markdown")) {
		return
	}
	m := intents.Classify(c.Name, c.Args)
	key := "file:" + path.Clean(m.Target)
	switch {
	case m.Op == intents.OpWrite || m.Op == intents.OpPatch:
		for all := intents.Edits(c.Name, c.Args); len(all) > 0; {
			n := 1
			for n < len(all) && all[n].Path == all[0].Path {
				n++
			}
			l.edit(all[0].Path, c.Turn, all[:n])
			all = all[n:]
		}
	case !filetext.Markdown(m.Target):
	case m.Op == intents.OpDelete:
		delete(l.lists, key)
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

// edit changes the content of a file as far as it is known. Of a file that is not, a text with a checklist in it counts
// as its content.
func (l *List) edit(name string, turn int, edits []intents.Edit) {
	if !filetext.Markdown(name) {
		return
	}
	key := "file:" + path.Clean(name)
	content := ""
	if one := l.lists[key]; one != nil {
		content = one.content
	}
	for _, e := range edits {
		switch {
		case e.Whole:
			content = e.New
		case e.Old != "" && strings.Contains(content, e.Old) && len(content)+len(e.New) <= 2*maxContent:
			content = replaced(content, e)
		case e.Old == "" || content == "":
			content += "\n" + e.New
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
func replaced(content string, e intents.Edit) string {
	if !e.All {
		return strings.Replace(content, e.Old, e.New, 1)
	}
	if n := strings.Count(content, e.Old); n*len(e.New) > maxContent {
		return content
	}
	return strings.ReplaceAll(content, e.Old, e.New)
}

// numbers matches the numbers that hosts print before the lines of a file.
var numbers = pattern.Lazy(`(?m)^ *[0-9]{1,9}(?:→|\t| \| |\||: )`)

// unnumbered takes the numbers of lines away that hosts print before them.
func unnumbered(s string) string {
	if len(s) > 2*maxContent {
		return s[:2*maxContent] // too long for a file that is followed
	}
	return numbers().ReplaceAllString(s, "")
}
