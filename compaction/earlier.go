package compaction

import (
	"cmp"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/quote"
	"ctxledger.dev/transcript"
)

// earlierShare is the part of the budget, in percent, that the host's own summary may take: it holds what came before
// the range.
const earlierShare = 25

const earlierHead = "[EARLIER SUMMARY — by the host, in its words, not checked]"

// earlier returns the newest item of the range that is a summary which the host made of what came before, and its
// words; nil if there is none, or if a summary of ours replaced it.
func (s *source) earlier(from int) (*Item, string, error) {
	for i := s.cut - 1; i >= from; i-- {
		it := &s.in.Items[i]
		if !it.Earlier {
			continue
		}
		text, err := s.textOf(it)
		return it, transcript.EarlierText(text), err
	}
	return nil, "", nil
}

// addEarlier adds the host's own summary: nothing else is left of what it summarised.
func (s *source) addEarlier(d *layout.Document) error {
	it, text, err := s.earlier(0)
	if it == nil || text == "" || err != nil {
		return err
	}
	e := quote.Entry{Label: quote.Turn(max(1, it.Turn)),
		Text: s.fit(text, s.budget*earlierShare/100, cmp.Or(it.ID, s.id))}
	d.Add(d.Block(&layout.Block{Head: earlierHead}), &layout.Line{Text: quote.Print(e), Class: layout.ClassAnchor,
		Anchor: "earlier", Pos: 1})
	return nil
}
