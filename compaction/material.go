package compaction

import (
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/compaction/excerpt"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/quote"
	"ctxledger.dev/compaction/statements"
	"ctxledger.dev/intents"
)

const (
	documentsHead = "[DOCUMENTS THE WORK READ — their headings and tasks]"
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
func (s *source) addMaterial(d *layout.Document) error {
	b := d.Block(&layout.Block{Head: documentsHead})
	for i, doc := range slices.Backward(s.talk.documents) {
		text := "  " + s.path(doc.path) + ": " + quote.OneLine(strings.Join(doc.outline, " | "), documentChars)
		d.Add(b, &layout.Line{Text: barred(text), Class: layout.ClassMaterial, Pos: int64(i)})
	}
	said := 0
	for _, m := range s.talk.messages {
		said += len(m.Text)
	}
	if said > 4*s.budget {
		return nil // there is enough to say
	}
	return s.addResults(d)
}

// addResults adds the beginnings of the newest results.
func (s *source) addResults(d *layout.Document) error {
	b := d.Block(&layout.Block{Head: resultsHead})
	names := make(map[string]string)
	told := make(map[string]bool) // calls that other sections tell, of files and other agents, and of our tools
	for i := range s.in.Items {
		for _, c := range s.in.Items[i].Calls {
			names[c.ID] = c.Name + " " + s.path(c.Target)
			told[c.ID] = c.Op == intents.OpRead || c.Op == intents.OpWrite || c.Op == intents.OpPatch ||
				delegates[intents.PlainName(c.Name)] || intents.Own(c.Name)
		}
	}
	stale := maps.Clone(s.talk.never)
	for i := range s.superseded() {
		stale[s.past[i].CallID] = true
	}
	shown := 0
	for i := len(s.in.Items) - 1; i >= 0 && shown < resultsShown; i-- {
		it := &s.in.Items[i]
		for _, r := range it.Results {
			if stale[r.CallID] || told[r.CallID] {
				continue // it did not run, or something later made it obsolete
			}
			text, err := s.resultOf(it, r.CallID)
			if err != nil {
				return err
			}
			if excerpt.IsData(text) || excerpt.IsReply(text) || shown == resultsShown {
				continue
			}
			if text = excerpt.Beginning(text, resultLines, resultLineChars); text == "" {
				continue
			}
			shown++
			d.Add(b, &layout.Line{Text: barred("  " + quote.OneLine(names[r.CallID], 80) + ": " + text),
				Class: layout.ClassMaterial, Pos: it.first()})
		}
	}
	return nil
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
