package compaction

import (
	"maps"
	"path"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/compaction/statements"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/sessions"
)

const (
	documentsHead = "[DOCUMENTS READ DURING THE WORK — their headings and tasks]"
	resultsHead   = "[WHAT THE NEWEST RESULTS SAID]"
	// documentsKept is how many documents are shown, documentChars how much of each.
	documentsKept = 4
	documentChars = 1_200
	// resultsShown is how many of the newest results are shown, resultLines and resultLineChars how much of each.
	resultsShown    = 8
	resultLines     = 6
	resultLineChars = 280
)

// addMaterial adds what the work used, where the agent said little: outlines of documents, beginnings of results.
func addMaterial(s *source, d *layout.Document) error {
	b := d.Block(&layout.Block{Head: documentsHead})
	for i, doc := range slices.Backward(s.in.talk.documents) {
		text := "  " + s.in.path(doc.path) + ": " + layout.OneLine(strings.Join(doc.outline, " | "), documentChars)
		d.Add(b, &layout.Line{Text: barred(text), Class: layout.ClassMaterial, Pos: int64(i)})
	}
	said := 0
	for _, m := range s.in.talk.messages {
		said += len(m.Text)
	}
	if said > 4*s.budget {
		return nil // there is enough to say
	}
	return addResults(s, d)
}

// addResults adds what the newest results say.
func addResults(s *source, d *layout.Document) error {
	b := d.Block(&layout.Block{Head: resultsHead})
	calls := make(map[string]sessions.Call)
	said := make(map[string]bool) // failures, and files that commands printed
	told := make(map[string]bool) // calls that other sections tell, of files and other agents, and of our tools
	for i := range s.in.Items {
		for _, c := range s.in.Items[i].Calls {
			calls[c.ID] = c
			told[c.ID] = c.Op == intents.OpRead || c.Op == intents.OpWrite || c.Op == intents.OpPatch ||
				delegates[intents.PlainName(c.Name)] || intents.Own(c.Name)
		}
	}
	stale := maps.Clone(s.in.talk.never)
	for i := range supersededBy(s) {
		stale[s.past[i].CallID] = true
	}
	shown := 0
	for i := len(s.in.Items) - 1; i >= 0 && shown < resultsShown; i-- {
		it := &s.in.Items[i]
		for _, r := range it.Results {
			if stale[r.CallID] || told[r.CallID] {
				continue // it did not run, or something later made it obsolete
			}
			text, err := s.in.resultOf(it, r.CallID)
			if err != nil {
				return err
			}
			if shown == resultsShown {
				break
			}
			made := calls[r.CallID]
			if text, err = telling(s, made, r.Failed, text, said); err != nil {
				return err
			}
			if text == "" {
				continue
			}
			shown++
			name := layout.OneLine(made.Name+" "+s.in.path(made.Target), 80)
			d.Add(b, &layout.Line{Text: barred("  " + name + ": " + text),
				Class: layout.ClassMaterial, Pos: it.first()})
		}
	}
	return nil
}

// telling returns what the result of a call says: of a test or build what failed and how much, or how it ended, wherever in
// the output that stands; of anything else the beginning. It is "" for what says nothing of the work, or says it again.
// told has the failures and files that are already listed: of several reads of one file, only the newest is.
func telling(s *source, made sessions.Call, failed bool, text string, told map[string]bool) (string, error) {
	_, later := intents.LaunchedCommand(text)
	if later && made.Op == intents.OpShell || isData(text) || isReply(text) {
		return "", nil
	}
	purpose := shellcmd.Other
	if made.Op == intents.OpShell {
		purpose = s.work.keyOf(made.Target).purpose
		if file, numbered, ok := shell.Printed(made.Target); ok {
			text = filetext.Plain(text, numbered)
			again, err := readAgain(s.in, file, text)
			if again || told[file] {
				return "", err
			}
			told[file] = true
			return beginning(text, resultLines, resultLineChars), err
		}
	}
	f := shellcmd.FailureIn(text, purpose, failed && purpose >= shellcmd.Build)
	switch {
	case purpose != shellcmd.Search && f.Found():
		said := layout.OneLine("FAILED "+f.String(), resultLineChars)
		if told[said] {
			said = ""
		}
		told[said] = true
		return said, nil
	case purpose >= shellcmd.Build && !failed:
		return layout.OneLine(intents.Outcome(text, false), resultLineChars), nil
	}
	return beginning(text, resultLines, resultLineChars), nil
}

// readAgain reports whether what a command printed of a file is what a tool read of it, whole or in part: that is told as a
// file that was read.
func readAgain(in *Input, file, text string) (bool, error) {
	for i := range in.Items {
		for _, read := range in.Items[i].Calls {
			if read.Op != intents.OpRead || path.Base(read.Target) != path.Base(file) {
				continue
			}
			whole, err := in.resultOfCall(read.ID)
			if err != nil || filetext.Within(text, filetext.Plain(whole, true)) {
				return err == nil, err
			}
		}
	}
	return false, nil
}

// workDocument is a Markdown document that the work read or wrote.
type workDocument struct {
	path    string
	outline []string
}

// keepDocument keeps the outline of a document, the newest documents only.
func (d *dialogue) keepDocument(path, text string) {
	doc := workDocument{path: path, outline: statements.Outline(text)}
	if len(doc.outline) < 2 {
		return
	}
	d.documents = slices.DeleteFunc(d.documents, func(old workDocument) bool { return old.path == path })
	d.documents = append(d.documents, doc)
	d.documents = d.documents[max(0, len(d.documents)-documentsKept):]
}
