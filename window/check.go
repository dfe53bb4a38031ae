package window

import (
	"strings"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/fault"
)

// Check refuses a policy that cannot be meant: the error is invalid, and names the setting as ctxledger.yaml
// does.
func (p Policy) Check() error {
	for _, share := range []struct {
		key string
		v   float64
	}{
		{"context_cap_fraction", p.CapFraction}, {"threshold", p.Compact.Fraction}, {"idle", p.Compact.Idle},
		{"gain", p.Compact.Gain}, {"anti_thrash_ratio", p.Compact.ThrashRatio},
		{"clear: trigger", p.Clear.Trigger}, {"arguments: trigger", p.Arguments.Trigger},
		{"arguments: keep", p.Arguments.Keep},
	} {
		if !(share.v >= 0 && share.v <= 1) { // NaN is none either
			return fault.New(fault.Invalid, "", "%s is %v: it must be between 0 and 1", share.key, share.v)
		}
	}
	for _, n := range []struct {
		key string
		v   int
	}{
		{"max_turn_age", p.Turns}, {"max_tail_messages", p.Messages}, {"max_tool_result_chars", p.ResultChars},
		{"max_user_chars", p.UserChars}, {"max_replay_chars", p.ReplayChars},
		{"batch_chars", p.BatchChars}, {"max_in_turn_tool_pairs", p.ToolPairs},
		{"max_in_turn_context_tokens", p.InTurnTokens},
		{"max_tool_result_tokens", p.Evict.MaxTokens}, {"in_turn_tool_window", p.Evict.Window},
		{"reserve", p.Compact.Reserve},
		{"effective_window", p.Compact.Effective}, {"max_context_tokens", p.Compact.MaxContext},
		{"max_payload_bytes", p.Compact.MaxPayload}, {"compact_turns", p.Compact.Turns},
		{"max_turn_input_tokens", p.Compact.SingleTurn},
		{"warn_at", p.Compact.WarnAt}, {"cutover_at", p.Compact.CutoverAt},
		{"anti_thrash_window", p.Compact.ThrashWindow},
		{"keep: turns", p.Keep.Turns}, {"keep: tokens", p.Keep.Tokens}, {"keep: messages", p.Keep.Messages},
		{"clear: keep", p.Clear.Keep}, {"clear: at_least", p.Clear.AtLeast}, {"arguments: over", p.Arguments.Over},
	} {
		if n.v < 0 {
			return fault.New(fault.Invalid, "", "%s is %d: it must not be negative", n.key, n.v)
		}
	}
	if p.Compact.Mode != "" && !settings.Mode(p.Compact.Mode).Offered() {
		return fault.New(fault.Invalid, "", "mode is %.1000q, not one of %s", p.Compact.Mode,
			strings.Join(settings.ModeNames(false), ", "))
	}
	for tool, n := range p.ResultCharsOf {
		if n < 0 {
			return fault.New(fault.Invalid, "", "tool_result_char_overrides: %.40s is %d: it must not be "+
				"negative", tool,
				n)
		}
	}
	return nil
}
