package window

import (
	"cmp"
	"slices"

	"ctxledger.dev/transcript"
)

// editKey identifies what an edit changes. Of two edits with one key the later one applies.
type editKey struct {
	seq  int64
	call string
	part Part
}

// key returns what the edit changes.
func (e Edit) key() editKey { return editKey{e.Seq, e.Call, e.Part} }

// editSet holds the edits that apply.
type editSet map[editKey]Edit

func newEditSet(edits []Edit) editSet {
	p := make(editSet, len(edits))
	for _, e := range edits {
		p[e.key()] = e
	}
	return p
}

// ranges returns the collapsed ranges, in order.
func (s editSet) ranges() []Edit {
	return s.inOrder(func(e Edit) bool { return e.Part == PartRange })
}

// manifests returns the manifests that are shown, in order.
func (s editSet) manifests() []Edit {
	return s.inOrder(func(e Edit) bool { return e.Part == PartManifest && e.Text != "" })
}

// inOrder returns the edits that match, in order of Seq.
func (s editSet) inOrder(match func(Edit) bool) []Edit {
	var out []Edit
	for _, e := range s {
		if match(e) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Edit) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// collapse replaces the drafts of each collapsed range by a note at the position of the first.
func (s editSet) collapse(drafts []*draft) []*draft {
	ranges := s.ranges()
	if len(ranges) == 0 {
		return drafts
	}
	var out []*draft
	notes := make([]*draft, len(ranges))
	for _, d := range drafts {
		seq := d.first().Seq
		i := slices.IndexFunc(ranges, func(e Edit) bool { return e.Seq <= seq && seq <= e.To })
		switch {
		case i < 0:
			out = append(out, d)
		case notes[i] == nil:
			notes[i] = &draft{entries: d.entries, note: &ranges[i]}
			out = append(out, notes[i])
		default:
			notes[i].entries = append(notes[i].entries, d.entries...)
		}
	}
	return out
}

// collapsed is the slot of a note.
func (d *draft) collapsed(edits editSet) Slot {
	f := d.first()
	s := Slot{Note: d.note.Text, Role: transcript.RoleUser, Format: f.Format, Turn: f.Turn, Tokens: d.note.Tokens,
		Edited: true}
	for _, e := range d.entries {
		s.Seqs = append(s.Seqs, e.Seq)
	}
	s.follow(edits)
	return s
}

// follow appends the manifest that is recorded at one of the entries of a slot.
func (s *Slot) follow(edits editSet) {
	for _, seq := range s.Seqs {
		if e := edits[editKey{seq, "", PartManifest}]; e.Text != "" {
			s.After, s.Tokens = e.Text, s.Tokens+e.Tokens
		}
	}
}
