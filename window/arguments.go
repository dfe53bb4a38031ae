package window

import (
	"slices"

	"ctxledger.dev/intents"
)

// The defaults of truncating arguments.
const (
	bulkHead       = 20 // characters that stay of a long text
	unknownMessage = 20 // messages that keep their arguments when the window is not known
)

// truncateArguments shortens what old writes wrote, when the view has nearly filled the window: the
// file has it.
func truncateArguments(s *scene) (out []Edit) {
	p := s.policy.Arguments
	if p.Trigger <= 0 || p.Over <= 0 || !s.argumentsDue() {
		return nil
	}
	recent := s.recentSlots()
	for i := range s.acts {
		a := &s.acts[i]
		if !s.writesMuch(a) || a.argsEdited || a.slot >= recent || a.Chars <= p.Over {
			continue
		}
		out = append(out, s.rewrite(a, Edit{Over: p.Over, Head: bulkHead, Text: kept(markBulk, a.entry.Handle())})...)
	}
	return out
}

// writesMuch reports whether a call is one whose arguments are contents.
func (s *scene) writesMuch(a *act) bool {
	return a.Op == intents.OpWrite || a.Op == intents.OpPatch || slices.ContainsFunc(s.policy.Arguments.Tools, a.named)
}

func (s *scene) argumentsDue() bool {
	if s.Window <= 0 {
		return len(s.slots) > unknownMessage
	}
	return float64(s.Request(s.used)) >= s.policy.Arguments.Trigger*float64(s.Window)
}

// recentSlots returns where the newest messages begin that keep their arguments.
func (s *scene) recentSlots() int {
	if s.Window <= 0 {
		return max(0, len(s.slots)-unknownMessage)
	}
	budget := int(s.policy.Arguments.Keep * float64(s.Window))
	i := len(s.slots)
	for left := budget; i > 0; i-- {
		if left -= s.count(s.slots[i-1].Tokens); left < 0 {
			break
		}
	}
	return i
}
