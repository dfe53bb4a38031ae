package compaction

import (
	"slices"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/quote"
	"ctxledger.dev/internal/chars"
)

const artifactsHead = "[LOOK UP — handles for read_artifact, files that were read]"

// addLookups adds the handles of what is stored outside the conversation, the newest first, and what was read.
func (s *source) addLookups(d *layout.Document) {
	b := d.Block(&layout.Block{Head: artifactsHead})
	seen := make(map[string]bool)
	for _, a := range slices.Backward(s.in.Artifacts) {
		if a.Seq > s.last || seen[a.ID] {
			continue
		}
		seen[a.ID] = true
		text := "  " + quote.OneLine(a.ID, 64) + "  " + quote.OneLine(a.Label, 140)
		if a.Tokens > 0 {
			text += " (" + chars.Commas(a.Tokens) + " tokens)"
		}
		d.Add(b, &layout.Line{Text: text, Class: layout.ClassLook, Anchor: "handle:" + a.ID, Pos: int64(len(seen))})
	}
	s.addReads(d, b)
}
