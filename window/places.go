package window

import (
	"cmp"
	"slices"

	"ctxledger.dev/transcript"
)

// place is what one edit is about. Of two edits about one place the later one holds.
type place struct {
	seq  int64
	call string
	part Part
}

// place returns what an edit is about.
func (e Edit) place() place { return place{e.Seq, e.Call, e.Part} }

// places are the edits that hold.
type places map[place]Edit

func byPlace(edits []Edit) places {
	p := make(places, len(edits))
	for _, e := range edits {
		p[e.place()] = e
	}
	return p
}

// ranges returns the collapsed ranges, in order.
func (p places) ranges() []Edit {
	var out []Edit
	for at, e := range p {
		if at.part == PartRange {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Edit) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// manifests returns the manifests that are shown, in order.
func (p places) manifests() []Edit {
	var out []Edit
	for at, e := range p {
		if at.part == PartManifest && e.Text != "" {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Edit) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// collapse lets a note stand for the drafts of each collapsed range, where its first one stands.
func (p places) collapse(drafts []*draft) []*draft {
	ranges := p.ranges()
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
func (d *draft) collapsed(edits places) Slot {
	f := d.first()
	s := Slot{Note: d.note.Text, Role: transcript.RoleUser, Format: f.Format, Turn: f.Turn, Tokens: d.note.Tokens, Edited: true}
	for _, e := range d.entries {
		s.Seqs = append(s.Seqs, e.Seq)
	}
	s.follow(edits)
	return s
}

// follow lets the manifest that is recorded behind one of the entries of a slot stand behind the slot.
func (s *Slot) follow(edits places) {
	for _, seq := range s.Seqs {
		if e := edits[place{seq, "", PartManifest}]; e.Text != "" {
			s.After, s.Tokens = e.Text, s.Tokens+e.Tokens
		}
	}
}
