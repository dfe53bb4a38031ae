package engine

import (
	"slices"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// situation is what triggers look at when the view has so many o200k_base tokens.
func (f *folded) situation(st window.State, view int, s Signals) window.Situation {
	likely, most := st.Request(view)
	fixed, _ := st.Request(f.newest())
	now := window.Situation{
		Window: st.Window, View: likely, Most: most, Fixed: fixed, Turns: f.turns(), Cold: st.Cold,
		Overflow: s.Overflow, Trimmed: s.Trimmed, Asked: s.Asked, Manual: s.Manual,
	}
	since, turn := int64(0), -1 // of the compaction in force
	if cur := f.current(); cur != nil {
		since = f.at[cur.ID]
		turn = f.entries[since-1].Turn
	}
	now.Grace = turn >= 0 && f.session.Turns-turn <= 1
	for _, e := range f.entries {
		if e.Usage == nil || e.Hidden {
			continue
		}
		input := inputOf(*e.Usage)
		if e.Turn == f.session.Turns {
			now.TurnInput += input
		}
		if e.Seq > since {
			now.Input += input
		}
	}
	for _, r := range f.records {
		before, _ := st.Request(r.Before)
		after, _ := st.Request(r.After)
		now.Attempts = append(now.Attempts, window.Attempt{Before: before, After: after, Window: st.Window})
	}
	return now
}

// newest is what the view has from its newest answer on, in o200k_base tokens: it stays verbatim in any case.
func (f *folded) newest() int {
	n := 0
	for _, slot := range slices.Backward(f.view.Slots) {
		n += slot.Tokens
		if slot.Role == transcript.RoleAssistant {
			break
		}
	}
	return n
}

// inputOf is all that a request had, cached or not.
func inputOf(u sessions.Usage) int { return int(u.Input + u.CacheRead + u.CacheWrite) }
