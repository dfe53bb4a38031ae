package config

import (
	"fmt"
	"slices"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/window"
)

// together warns of settings of a policy that contradict each other, at one that the document sets: what it does not set
// is not its mistake. Each is valid by itself, so the file stays in effect.
func (p *parser) together(w window.Policy) {
	for _, c := range []struct {
		wrong   bool
		keys    []string // the first that is set has the problem
		message string
	}{
		{w.Keep == (settings.Keep{}), []string{"keep.turns", "keep.tokens", "keep.messages"},
			"keep: turns, tokens and messages are all 0: a compaction needs one of them, so the default applies"},
		{w.Compact.Turns > 0 && w.Compact.Turns <= w.Keep.Turns && !settings.Mode(w.Compact.Mode).OfView(),
			[]string{"compact_turns", "keep.turns"},
			fmt.Sprintf("a compaction is due at %d turns and keeps up to %d: often there is nothing to replace",
				w.Compact.Turns, w.Keep.Turns)},
		{w.Compact.WarnAt > 0 && w.Compact.CutoverAt > 0 && w.Compact.WarnAt >= w.Compact.CutoverAt,
			[]string{"warn_at", "cutover_at"},
			fmt.Sprintf("it warns at %d tokens, but compacts at %d", w.Compact.WarnAt, w.Compact.CutoverAt)},
		{w.Compact.Off && w.Compact.CutoverAt > 0, []string{"cutover_at", "automatic"},
			"cutover_at needs automatic compaction, which is off"},
		{w.Compact.Off && w.Compact.SingleTurn > 0, []string{"max_turn_input_tokens", "automatic"},
			"max_turn_input_tokens needs automatic compaction, which is off"},
		{w.CapFraction > 0 && w.Messages == 0, []string{"context_cap_fraction"},
			"context_cap_fraction has no effect without max_tail_messages"},
		{w.Evict.MaxTokens == 0, []string{"in_turn_tool_window"},
			"in_turn_tool_window has no effect without max_tool_result_tokens"},
		{w.Compact.Effective > 0 && w.Keep.Tokens > w.Compact.Effective/2,
			[]string{"keep.tokens", "effective_window"},
			fmt.Sprintf("a compaction keeps %d tokens, more than half of the %d at which it is due", w.Keep.Tokens,
				w.Compact.Effective)},
	} {
		if !c.wrong {
			continue
		}
		for _, key := range c.keys {
			if f, set := p.set[key]; set {
				if !p.failsAt(f) { // else what is meant is not known yet
					p.at(f, Warning, c.message)
				}
				break
			}
		}
	}
}

// failsAt reports whether the value of a field is wrong by itself.
func (p *parser) failsAt(f yamldoc.Field) bool {
	line, _, _ := f.Value()
	return slices.ContainsFunc(p.problems, func(q Problem) bool {
		return q.Severity == Error && q.Line >= f.Line && q.Line <= line && q.Column >= f.Column
	})
}
