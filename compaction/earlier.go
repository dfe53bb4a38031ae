package compaction

import (
	"cmp"
	"fmt"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/transcript"
)

// earlierShare bounds the host's own summary: it holds what came before the range.
var earlierShare = shares{12, 20}

const earlierHead = "[EARLIER SUMMARY — by the host, in its words, not checked]"

// earlier returns the newest summary from an item on that the host made of what came before, and its words; nil if
// there is none, or if a summary of ours replaced it.
func (s *source) earlier(from int) (*Item, string, error) {
	newest := s.in.Earlier
	if newest != nil && (newest.first() > s.last || newest.first() < s.in.Items[from].first()) {
		newest = nil
	}
	for i := from; i < s.cut; i++ {
		if it := &s.in.Items[i]; it.Earlier && (newest == nil || it.first() > newest.first()) {
			newest = it
		}
	}
	if newest == nil {
		return nil, "", nil
	}
	text, err := s.in.textOf(newest)
	return newest, transcript.EarlierText(text), err
}

// covered returns how many items are in a summary that the host made of them.
func (in *Input) covered() int {
	for i := len(in.Items) - 1; i > 0; i-- {
		if in.Items[i].Earlier || in.Earlier != nil && in.Items[i].first() < in.Earlier.first() {
			return i
		}
	}
	return 0
}

// addEarlier adds the host's own summary: nothing else is left of what it summarised.
func addEarlier(s *source, d *layout.Document) error {
	it, text, err := s.earlier(0)
	if it == nil || text == "" || err != nil {
		return err
	}
	head := earlierHead
	if document := s.in.continued(text); document != "" {
		if head, text = fmt.Sprintf(continuedHead, s.in.Session.Continues), restOf(document); text == "" {
			return nil
		}
	}
	if layout.Count(text) > s.budget*earlierShare.first/100 {
		text = withoutCode(text)
	}
	l := s.longLine(layout.Entry{Label: layout.Turn(max(1, it.Turn)), Text: text}, earlierShare, cmp.Or(it.ID, s.id))
	l.Class, l.Anchor, l.Pos = layout.ClassAnchor, "earlier", 1
	d.Add(d.Block(&layout.Block{Head: head}), l)
	return nil
}

// shares are the parts of the budget, in percent, that a long text takes at first, and where there is room for more.
type shares struct{ first, most int }

// longLine quotes a long text, cut to its share of the budget.
func (s *source) longLine(e layout.Entry, part shares, id string) *layout.Line {
	whole := e.Text
	e.Text = layout.Fit(whole, s.budget*part.most/100, handleOf(id))
	l := &layout.Line{Text: layout.Print(e)}
	e.Text = layout.Fit(whole, s.budget*part.first/100, handleOf(id))
	if brief := layout.Print(e); brief != l.Text {
		l.Brief = brief
	}
	return l
}
