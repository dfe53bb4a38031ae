package compaction

import (
	"strings"

	"ctxledger.dev/compaction/effects"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
)

const (
	// editsShown is how many of the newest edits are shown, editChars how much of each, and moreEditChars where there is
	// room.
	editsShown    = 6
	editChars     = 200
	moreEditChars = 400
)

// addNewestEdits adds what the newest edits put into files: what was being done when the range ended is seldom said.
func addNewestEdits(s *source, d *layout.Document, b *layout.Block) error {
	const at = 1 << 10 // in the block
	add := d.Under(b, layout.Line{Text: "  Newest edits:", Class: layout.ClassEdit, Heading: true, Pos: at})
	shown := 0
	for i := len(s.in.Operations) - 1; i >= 0 && shown < editsShown; i-- {
		op := &s.in.Operations[i]
		edits := op.Op == intents.OpPatch || op.Op == intents.OpWrite
		if !edits || op.Status == intents.Failed || s.in.talk.never[op.CallID] ||
			!op.pending() && !s.work.stands(op.Target) {
			continue
		}
		what, err := newText(s.in, op)
		if err != nil {
			return err
		}
		if what == "" {
			continue
		}
		shown++
		print := func(most int) string {
			text := "  " + s.in.path(op.Target) + " (" + layout.Turn(op.Turn) + "): " + layout.OneLine(what, most)
			if op.pending() {
				text += " — no result recorded: check the file"
			}
			return barred(text)
		}
		l := layout.Line{Text: print(moreEditChars), Brief: print(editChars), Class: layout.ClassEdit, Pos: at + op.Seq}
		if l.Brief == l.Text {
			l.Brief = ""
		}
		add(l)
	}
	return nil
}

// stands reports whether what a session did to a file is there for certain: nothing undid, moved or deleted any of it.
func (w *work) stands(target string) bool {
	for _, f := range w.files {
		if f.Path == w.in.path(target) {
			return (f.State == effects.Created || f.State == effects.Changed) && !f.Maybe && f.Lost == 0
		}
	}
	return false
}

// newText returns what a call put into its file, in one line: added lines after a "+", else removed ones after a "−".
func newText(in *Input, op *Operation) (string, error) {
	edits, err := in.editsOf(op)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, e := range edits {
		if added := effects.LinesOnlyIn(e.New, e.Old, moreEditChars); added != "" {
			parts = append(parts, "+ "+added)
		} else if removed := effects.LinesOnlyIn(e.Old, e.New, moreEditChars); removed != "" {
			parts = append(parts, "− "+removed)
		}
	}
	return strings.Join(parts, " · "), nil
}
