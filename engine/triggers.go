package engine

import (
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// situation is what triggers look at: the view will have so many tokens of the model, at most.
func (f *folded) situation(limit, view int, s Signals) window.Situation {
	now := window.Situation{
		Window: limit, View: view, Turns: f.turns(),
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
		now.Attempts = append(now.Attempts, window.Attempt{Before: r.Before, After: r.After, Window: limit})
	}
	return now
}

// inputOf is all that a request had, cached or not.
func inputOf(u sessions.Usage) int { return int(u.Input + u.CacheRead + u.CacheWrite) }
