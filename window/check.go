package window

import (
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/fault"
)

// Check refuses a policy that cannot be meant. The error is invalid.
func (p Policy) Check() error {
	c := p.Compact
	for _, share := range []float64{p.CapFraction, c.Fraction, c.Idle, c.Gain, c.ThrashRatio, p.Clear.Trigger,
		p.Arguments.Trigger, p.Arguments.Keep} {
		if !(share >= 0 && share <= 1) { // NaN is none either
			return fault.New(fault.Invalid, "", "%v is not a fraction: it must be between 0 and 1", share)
		}
	}
	numbers := []int{p.Turns, p.Messages, p.ResultChars, p.UserChars, p.ReplayChars, p.BatchChars, p.ToolPairs,
		p.InTurnTokens, p.Evict.MaxTokens, p.Evict.Window, c.Reserve, c.Effective, c.MaxContext, c.MaxPayload, c.Turns,
		c.SingleTurn, c.WarnAt, c.CutoverAt, c.ThrashWindow, p.Keep.Turns, p.Keep.Tokens, p.Keep.Messages, p.Clear.Keep,
		p.Clear.AtLeast, p.Arguments.Over}
	if n := slices.Min(slices.AppendSeq(numbers, maps.Values(p.ResultCharsOf))); n < 0 {
		return fault.New(fault.Invalid, "", "a limit is %d: it must not be negative", n)
	}
	if c.Mode != "" && !settings.Mode(c.Mode).Offered() {
		return fault.New(fault.Invalid, "", "mode is %.1000q, not one of %s", c.Mode,
			strings.Join(settings.ModeNames(false), ", "))
	}
	return nil
}
