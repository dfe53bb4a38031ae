package compaction

import (
	"path"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/internal/words"
)

// source is what the blocks of one document are made from: the input, and what was derived from it
// once.
type source struct {
	in     *Input
	o      Options
	id     string // of the draft: part of the text
	cut    int    // items before it are compacted
	budget int    // of the document, in tokens
	last   int64  // newest compacted entry

	past      []Operation // those of the compacted range
	talk      *dialogue
	taskBlock *layout.Block   // of the document that is being written
	pinned    map[string]bool // messages that it quotes whole, by id
	words     *userWords      // how the document prints what the user said
	git       shellcmd.Repository
	files     []*fileState
	moves     map[string]string // present paths of what was moved, by the former ones
	commands  []*commandState
	keys      map[string]commandKey // by command: the same one runs often
	explored  explored
	focus     []string
	story     *narrative            // a model's words; nil: none
	failure   string                // why there are none although a model was asked
	tracked   map[string]*Operation // by call id; set for a brief
}

// newSource derives what the blocks are made from. Errors: those of Input.Message.
func newSource(in *Input, o Options, id string, cut, budget int) (*source, error) {
	s := &source{in: in, o: o, id: id, cut: cut, budget: budget, last: newest(in.Items[:cut]),
		keys: make(map[string]commandKey), focus: strings.Fields(words.Key(o.Focus))}
	var err error
	if s.talk, err = s.listen(); err != nil {
		return nil, err
	}
	for _, op := range in.Operations {
		if op.Seq <= s.last {
			s.past = append(s.past, op)
		}
	}
	s.explored = s.explore()
	if s.files, err = s.fileStates(); err != nil {
		return nil, err
	}
	s.commands = s.commandStates()
	if s.git, err = s.gitState(); err != nil {
		return nil, err
	}
	return s, s.readFailures()
}

// mode is what the document is: without a model's words it is that of Intent, whatever was asked for.
func (s *source) mode() Mode {
	if s.story == nil {
		return Intent
	}
	return s.o.Mode
}

// focused reports whether s names something that the caller asked to keep in view.
func (s *source) focused(text string) bool {
	if len(s.focus) == 0 {
		return false
	}
	text = words.Key(text)
	return slices.ContainsFunc(s.focus, func(w string) bool { return strings.Contains(text, w) })
}

// compareFocus orders a text in focus before one that is not.
func (s *source) compareFocus(a, b string) int {
	switch fa, fb := s.focused(a), s.focused(b); {
	case fa == fb:
		return 0
	case fa:
		return -1
	}
	return 1
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

// path prints a path relative to the session's directory where it is inside.
func (s *source) path(p string) string {
	if rest, ok := paths.Below(s.in.Session.Dir, p); ok && rest != "." {
		p = rest
	} else if paths.Windows(p) {
		p = paths.Abs("", p)
	}
	return strings.TrimPrefix(layout.OneLine(p, 300), "./")
}

// present returns the path that a file has now.
func (s *source) present(p string) string {
	const most = 16 // moves of one file that are followed
	for range most {
		dir := p
		for dir != "." && dir != "/" && dir != "" && s.moves[dir] == "" {
			dir = path.Dir(dir)
		}
		to := s.moves[dir]
		if to == "" {
			break
		}
		p = to + strings.TrimPrefix(p, dir)
	}
	return p
}

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
