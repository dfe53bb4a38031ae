package window

// costs compares what edits save with what they make a provider write into its cache again. Changing one byte of
// what was sent invalidates everything after it.
type costs struct {
	*scene
	at   map[int64]int // slot of each entry
	sent int           // slots that the provider has seen
	from int           // the first slot that is written again anyway; sent: none
	size []int         // tokens of the slots in front of each
}

// costs looks at the view with edits that are made in any case.
func (s *scene) costs(made []Edit) *costs {
	c := &costs{scene: s, at: make(map[int64]int, len(s.slots)), sent: s.sentSlots(), size: make([]int, len(s.slots)+1)}
	for i, slot := range s.slots {
		c.size[i+1] = c.size[i] + slot.Tokens
		for _, seq := range slot.Seqs {
			if _, known := c.at[seq]; !known {
				c.at[seq] = i
			}
		}
	}
	c.from = c.sent
	for _, e := range made {
		c.from = min(c.from, c.slot(e))
	}
	return c
}

// slot returns the slot that an edit changes.
func (c *costs) slot(e Edit) int {
	if i, known := c.at[e.Seq]; known {
		return i
	}
	return len(c.slots)
}

// broken is the number of tokens that edits cause to be written again: everything after the first change of what
// was sent, without what the edits remove.
func (c *costs) broken(edits []Edit) int {
	from, freed := c.from, 0
	for _, e := range edits {
		if at := c.slot(e); at < c.sent {
			from, freed = min(from, at), freed+e.freed()
		}
	}
	return max(0, c.size[c.sent]-c.size[from]-freed)
}

// worthIt splits edits into those that wait and those that together save most, which are the last ones in the
// order of the view: what precedes a change costs nothing more.
func (c *costs) worthIt(edits []Edit) (wait, worth []Edit) {
	sorted := byOrder(edits, c.slot)
	cuts := make([]Cut, len(sorted))
	for i, e := range sorted {
		cuts[i] = Cut{c.slot(e), e.freed()}
	}
	from := WorthFrom(cuts, c.size, c.from, c.Rates, c.Ahead)
	return sorted[:from], sorted[from:]
}

// Cut is how much less is shown of one of the messages that a provider has in its cache.
type Cut struct{ At, Freed int }

// WorthFrom returns from which on of some cuts, in the order of their messages, those together save most that are worth what
// is written to the cache again; their number: none are. size is what precedes each message, and is written again from the
// message warm on in any case; ahead is how many more requests there will be.
func WorthFrom(cuts []Cut, size []int, warm int, r Rates, ahead int) int {
	best, from, freed := 0.0, len(cuts), 0
	for i := len(cuts) - 1; i >= 0; i-- {
		c := cuts[i]
		freed += c.Freed
		if i > 0 && cuts[i-1].At == c.At {
			continue
		}
		again := max(0, size[warm]-size[min(c.At, warm)]-freed)
		net := float64(freed)*r.Read*float64(ahead) - float64(again)*(r.Write-r.Read)
		if net > best {
			best, from = net, i
		}
	}
	return from
}
