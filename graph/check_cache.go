package graph

import (
	"fmt"
	"slices"

	"ctxledger.dev/internal/chars"
)

// leastCached is the shortest prefix of a request that providers cache, in tokens.
const leastCached = 1_024

// cached checks whether operations change text that an earlier model call has sent and later ones send again: what a provider
// has cached ends there.
func (c *checker) cached(costs *Costs) {
	d := c.d
	upTo := func(at int) int {
		i, _ := slices.BinarySearchFunc(d.Blocks, at, func(b *Block, at int) int { return b.Own.From - at })
		return int(costs.tokens[i])
	}
	later := 0 // model calls that send what is above them
	for _, o := range d.Operations {
		if d.runs(o) && o.sendsAmbient() {
			later++
		}
	}
	sent := 0 // up to where the last one of those did that are behind
	for _, o := range d.Operations {
		asks := d.runs(o) && o.sendsAmbient()
		if asks {
			later--
		}
		if at, ok := d.place(o); ok && o.field("to") != nil && later > 0 {
			if n := upTo(sent) - upTo(at.From); n >= leastCached {
				c.add("CG513", Warning, o.field("to").Value, fmt.Sprintf("this changes what was sent before: of the "+
					"%s after it the provider's cache serves none to %s", costs.Said(n).Tokens(),
					chars.Plural(later, "later operation")))
			}
		}
		if asks {
			sent = o.At.From
		}
	}
}
