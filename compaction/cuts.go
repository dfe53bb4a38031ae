package compaction

import (
	"cmp"
	"slices"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/sessions"
)

// cutsListed is how many of the things that left the view a record lists.
const cutsListed = 50

// cutList returns what leaves the view with this compaction, dearest first, and how much there is
// of it in all. What an earlier compaction took out is not in it.
func (v *view) cutList(s *source) ([]Cut, int) {
	callers := make(map[string]*sessions.Call)
	var all []leaving
	for i := range v.in.Items[:s.cut] {
		it := &v.in.Items[i]
		for k := range it.Calls {
			callers[it.Calls[k].ID] = &it.Calls[k]
		}
		if i < v.start {
			continue
		}
		if len(it.Results) == 0 {
			all = append(all, leaving{Cut{Kind: "message", Seq: it.first(), Tokens: it.Tokens,
				Handle: handleOf(it.ID)}, it, nil})
			continue
		}
		for _, r := range it.Results {
			c := Cut{Kind: "result", Seq: it.first(), Tokens: r.Tokens, Handle: r.Handle}
			if r.Artifact != "" {
				c.Handle, c.Tokens = r.Artifact, r.StubTokens
			}
			all = append(all, leaving{c, it, callers[r.CallID]})
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(all[b].Tokens, all[a].Tokens), cmp.Compare(all[a].Seq, all[b].Seq), cmp.Compare(a, b))
	})
	var out []Cut
	for _, i := range order[:min(len(order), cutsListed)] {
		c := &all[i]
		c.Label = c.label(s)
		out = append(out, c.Cut)
	}
	return out, len(all)
}

// leaving is a cut before it has its label, which most never get.
type leaving struct {
	Cut
	item   *Item
	caller *sessions.Call // of a result, when it is known
}

func (c *leaving) label(s *source) string {
	switch {
	case c.Kind == "message":
		return messageLabel(s, c.item)
	case c.caller != nil:
		return cmp.Or(layout.OneLine(c.caller.Name+" "+s.in.path(c.caller.Target), 120), "result")
	}
	return "result"
}

// callTokens returns the size of the calls of an item.
func callTokens(it *Item) (n int) {
	for _, c := range it.Calls {
		n += c.Tokens
	}
	return n
}

func messageLabel(s *source, it *Item) string {
	label := string(it.Role) + " message"
	if len(it.Calls) > 0 {
		c := it.Calls[0]
		call := "call " + layout.OneLine(c.Name+" "+s.in.path(c.Target), 100)
		if label += " with " + call; 2*callTokens(it) >= it.Tokens { // the calls, not text or reasoning, are most of it
			label = call
		}
	}
	return label + " (" + layout.Turn(it.Turn) + ")"
}
