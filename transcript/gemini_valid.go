package transcript

import (
	"slices"

	"ctxledger.dev/internal/fault"
)

// validGemini checks that calls come "immediately after a user turn or after a function response turn",
// and that one content behind them has "the number of function response parts … equal to the number of
// function call parts".
func validGemini(ms []Message) error {
	var p pairing
	for i, m := range ms {
		calls := slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Kind == KindCall && !p.Sealed })
		if calls && (i == 0 || ms[i-1].Role == RoleAssistant) {
			return fault.New(fault.Invalid, op, "message %d makes calls, but follows neither a user's message "+
				"nor results", i)
		}
		if err := p.next(i, m, i == len(ms)-1); err != nil {
			return err
		}
	}
	return nil
}
