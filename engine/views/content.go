package views

import (
	"ctxledger.dev/engine/core"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// content is what a window is made of, in o200k_base tokens by kind, and how the provider counted that of which requests tell.
type content struct {
	window.Fill             // all
	told        window.Fill // of that
	counted     window.Fill // told, as the provider counted it, times tokens.Scaled
}

// put adds what a slot is made of.
func (c *content) put(f window.Fill, rate int) {
	for kind, n := range f {
		c.Fill[kind] += n
		if rate > 0 {
			c.told[kind] += n
			c.counted[kind] += n * rate
		}
	}
}

// minus returns the difference of a kind of content alone, where it is larger than in another.
func (c content) minus(o content) (more content) {
	for kind := range c.Fill {
		if c.Fill[kind] > o.Fill[kind] {
			more.Fill[kind] = c.Fill[kind] - o.Fill[kind]
			more.told[kind] = c.told[kind] - o.told[kind]
			more.counted[kind] = c.counted[kind] - o.counted[kind]
		}
	}
	return more
}

// contentOf returns what slots are made of.
func contentOf(g *window.Growth, slots []window.Slot) (c content) {
	for i := range slots {
		c.put(slots[i].Fill, g.OfSlot(&slots[i]))
	}
	return c
}

// ownContent is what the conversation is made of as the agent has it: with whole results instead of our stubs, also those that
// were forgotten here, and without those that it has cleared.
func ownContent(g *window.Growth, log []sessions.Entry, whole window.View, cleared map[string]int) (c content) {
	for i := range whole.Slots {
		slot := &whole.Slots[i]
		fill := slot.Fill
		fill[window.Results] += fill[window.Stubs] + slot.Stubbed
		fill[window.Stubs] = 0
		for _, seq := range slot.Seqs {
			for _, r := range resultsIn(*slot, &log[seq-1]) {
				if log[seq-1].Forgotten != nil {
					fill[window.Results] += r.Tokens
				}
				if left, is := cleared[r.CallID]; is {
					fill[window.Results] = max(0, fill[window.Results]-max(0, r.Tokens-left))
				}
			}
		}
		c.put(fill, g.OfSlot(slot))
	}
	return c
}

// viewOf is what the view of a log is made of, with its summary.
func viewOf(g *window.Growth, f *core.Folded, summary string) content {
	c := contentOf(g, f.View.Slots)
	if f.Current() != nil {
		c.Fill = c.Fill.With(window.Summary, core.SummaryTokens(summary))
	}
	return c
}
