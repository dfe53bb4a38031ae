package window

import (
	"slices"

	"ctxledger.dev/transcript"
)

// withoutThoughts takes reasoning out of the drafts that nothing follows: the user broke off before the
// model said anything, and no provider takes such a message back. At the very end the rest may come yet, and
// in front of another answer it is that answer's.
func withoutThoughts(drafts []*draft) []*draft {
	for i, d := range drafts[:max(0, len(drafts)-1)] {
		if d.first().Role != transcript.RoleAssistant || drafts[i+1].first().Role == transcript.RoleAssistant {
			continue
		}
		for n := len(d.entries); n > 0 && isThoughts(d.entries[n-1]); n-- {
			d.entries = d.entries[:n-1]
		}
	}
	return slices.DeleteFunc(drafts, func(d *draft) bool { return len(d.entries) == 0 })
}
