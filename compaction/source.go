package compaction

import (
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/words"
)

// source is what the blocks of one document are made from: the input, what was derived from it, and what is asked for.
type source struct {
	in     *Input
	o      Options
	id     string // of the draft: part of the text
	cut    int    // items before it are compacted
	budget int    // of the document, in tokens
	last   int64  // newest compacted entry

	work      *work
	past      []Operation   // those of the compacted range
	taskBlock *layout.Block // of the document that is being written
	nowBlock  *layout.Block
	answer    *layout.Line    // with which the agent finished the newest turn; nil: it has not
	pinned    map[string]bool // messages that it quotes whole, by id
	words     *userWords      // how the document prints what the user said
	story     *narrative      // a model's words; nil: none
	failure   string          // why there are none although a model was asked
	resume    string          // the message at the end of the view; "": none
}

// newSource derives what the blocks are made from. Errors: those of Input.Message.
func newSource(in *Input, o Options, id string, cut, budget int) (*source, error) {
	s := &source{in: in, o: o, id: id, cut: cut, budget: budget, last: newest(in.Items[:cut])}
	if err := in.listen(); err != nil {
		return nil, err
	}
	for _, op := range in.Operations {
		if op.Seq <= s.last {
			s.past = append(s.past, op)
		}
	}
	var err error
	if s.resume, err = resumed(in, o, cut); err != nil {
		return nil, err
	}
	s.work, err = newWork(in, strings.Fields(words.Key(o.Focus)))
	return s, err
}

// mode is what the document is: without a model's words it is that of Intent, whatever was asked for.
func (s *source) mode() Mode {
	if s.story == nil {
		return Intent
	}
	return s.o.Mode
}

// draftID stands for the id of a compaction while it is written. A document of the whole session keeps it.
func draftID(in *Input, o Options, cut int) string {
	if o.Whole {
		return in.Session.ID
	}
	return draftName(in.Session.ID, in.Items[0].first(), newest(in.Items[:cut]), in.Position)
}

// retrieve is the call that reads back what this compaction took out of the view.
func (s *source) retrieve() string { return `read_artifact(id="` + s.id + `")` }

// turns returns the first and last turn of the compacted range, 1-based.
func (s *source) turns() (from, to int) {
	return max(1, s.in.Items[0].Turn), max(1, s.in.Items[s.cut-1].Turn)
}

// agentOf names who did something: the main conversation has no name of its own.
func agentOf(name string) string {
	if name == "" {
		return "main"
	}
	return layout.OneLine(name, 40)
}
