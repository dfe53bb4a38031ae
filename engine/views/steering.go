package views

import (
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/sessions"
)

// steering returns what the user said while the agent worked, as far as the agent got it on the active path, and what the
// host reports of calls in the background, whether the agent got it or not. Queued messages that began a turn are among the
// items of the conversation; those that went back to the user were never sent.
func steering(f *core.Folded) (out []compaction.Steering) {
	var waiting []*sessions.Entry
	for i := range f.Entries {
		e := &f.Entries[i]
		var given *sessions.Entry
		switch e.Queue {
		case sessions.QueueAdded:
			waiting = append(waiting, e)
		case sessions.QueueReturned:
			waiting = nil
		case sessions.QueueSent:
			given = e
		case sessions.QueueGiven, sessions.QueueLeft:
			if len(waiting) == 0 {
				continue
			}
			if e.Queue == sessions.QueueGiven {
				given = waiting[0]
			}
			waiting = waiting[1:]
		}
		if e.Reports {
			given = e
		}
		if given != nil && given.Forgotten == nil && !given.Message.Empty() && f.View.Active(i) {
			out = append(out, compaction.Steering{Seq: given.Seq, After: e.Seq, Turn: e.Turn, ID: given.ID})
		}
	}
	return out
}
