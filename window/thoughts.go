package window

import (
	"slices"

	"ctxledger.dev/transcript"
)

// withoutThoughts takes reasoning out of the drafts that nothing follows: the user broke off before the
// model said anything, and no provider takes such a message back. At the very end the rest may come yet, and
// in front of another answer it is that answer's.
func withoutThoughts(drafts []*draft) []*draft {
	answered := true // by the model, in the next draft that stays, or perhaps yet to come
	for _, d := range slices.Backward(drafts) {
		speaks := d.note == nil && d.first().Role == transcript.RoleAssistant
		for n := len(d.entries); !answered && speaks && n > 0 && isThoughts(d.entries[n-1]); n-- {
			d.entries = d.entries[:n-1]
		}
		if len(d.entries) > 0 {
			answered = speaks
		}
	}
	return slices.DeleteFunc(drafts, func(d *draft) bool { return len(d.entries) == 0 })
}
