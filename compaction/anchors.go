package compaction

import (
	"ctxledger.dev/compaction/layout"
)

// carriedChars bounds what is carried from the text of an earlier summary.
const carriedChars = 4_000

// carry promotes lines whose anchor the earlier summary had and that were left out, and adds the anchors that have
// no line any more, as that summary printed them. It reports whether there were any.
func (s *source) carry(d *layout.Document) bool {
	var b *layout.Block
	changed, chars := false, 0
	for _, a := range layout.AnchorsOf(s.in.PreviousText) {
		if l := d.Find(a.Key); l != nil {
			if !l.In {
				d.Promote(l)
				changed = true
			}
			continue
		}
		if chars += len(a.Text); chars > carriedChars {
			break
		}
		if b == nil {
			b = d.InsertBeforeBody(&layout.Block{Head: layout.Carried})
		}
		d.Add(b, &layout.Line{Text: a.Text, Class: layout.ClassAnchor, Anchor: a.Key, Pos: int64(len(b.Lines) + 1)})
		changed = true
	}
	return changed
}
