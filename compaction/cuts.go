package compaction

import (
	"cmp"
	"slices"
)

// cutsListed is how many of the things that left the view a record lists.
const cutsListed = 50

// cutList returns what leaves the view with this compaction, dearest first, and how much there is
// of it in all. What an earlier compaction took out is not in it.
func (v *view) cutList(s *source) ([]Cut, int) {
	callers := make(map[string]string)
	var all []Cut
	for i := range v.in.Items[:s.cut] {
		it := &v.in.Items[i]
		for _, c := range it.Calls {
			callers[c.ID] = oneLine(c.Name+" "+s.path(c.Target), 120)
		}
		if i < v.start {
			continue
		}
		if len(it.Results) == 0 {
			all = append(all, Cut{Kind: "message", Label: messageLabel(s, it), Seq: it.first(), Tokens: it.Tokens, Handle: handleOf(it.ID)})
			continue
		}
		for _, r := range it.Results {
			c := Cut{Kind: "result", Label: cmp.Or(callers[r.CallID], "result"), Seq: it.first(), Tokens: r.Tokens, Handle: handleOf(it.ID)}
			if r.Artifact != "" {
				c.Handle, c.Tokens = r.Artifact, r.StubTokens
			}
			all = append(all, c)
		}
	}
	total := len(all)
	slices.SortStableFunc(all, func(a, b Cut) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Seq, b.Seq))
	})
	return slices.Clip(all[:min(len(all), cutsListed)]), total
}

func messageLabel(s *source, it *Item) string {
	label := string(it.Role) + " message"
	if len(it.Calls) > 0 {
		c := it.Calls[0]
		label = "call " + oneLine(c.Name+" "+s.path(c.Target), 100)
	}
	return label + " (" + turnRange(it.Turn, it.Turn) + ")"
}
