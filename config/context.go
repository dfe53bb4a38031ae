package config

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/window"
)

// policy reads the value of the key context: how much of a conversation a model is to see.
func (p *parser) policy(f yamldoc.Field) (*window.Policy, error) {
	w := window.Default()
	if sets(f, "threshold") { // who sets one does not want it undercut
		w.Compact.Effective, w.Compact.Idle = 0, 0
	}
	var clear, arguments, tools yamldoc.Field
	err := p.each(f, map[string]any{
		"textonly": &w.TextOnly, "excludeagents": &w.ExcludeAgents, "maxturns": &w.Turns, "maxmessages": &w.Messages,
		"capfraction": &w.CapFraction, "exact": &w.Exact,
		"maxresultchars": &w.ResultChars, "resultchars": &tools, "maxreplaychars": &w.ReplayChars, "batchchars": &w.BatchChars, "oldwords": &w.OldWords,
		"maxtoolpairs": &w.ToolPairs, "maxinturntokens": &w.InTurnTokens,
		"threshold": &w.Compact.Fraction, "reserve": &w.Compact.Reserve, "effectivewindow": &w.Compact.Effective, "idle": &w.Compact.Idle,
		"compactturns": &w.Compact.Turns, "maxturninputtokens": &w.Compact.SingleTurn, "warnat": &w.Compact.WarnAt, "cutoverat": &w.Compact.CutoverAt,
		"antithrashwindow": &w.Compact.ThrashWindow, "antithrashratio": &w.Compact.ThrashRatio,
		"clear": &clear, "arguments": &arguments,
	})
	if err == nil && clear.Key != "" {
		err = p.each(clear, map[string]any{
			"trigger": &w.Clear.Trigger, "keep": &w.Clear.Keep, "atleast": &w.Clear.AtLeast,
			"exclude": &w.Clear.Exclude, "only": &w.Clear.Only, "inputs": &w.Clear.Inputs,
		})
	}
	if err == nil && arguments.Key != "" {
		err = p.each(arguments, map[string]any{"trigger": &w.Arguments.Trigger, "keep": &w.Arguments.Keep, "over": &w.Arguments.Over})
	}
	if err == nil && tools.Key != "" {
		w.ResultCharsOf, err = byTool(tools)
	}
	if err == nil {
		err = at(f, usable(w))
	}
	return &w, err
}

// sets reports whether a mapping has a key, in its folded form.
func sets(mapping yamldoc.Field, key string) bool {
	fields, err := mapping.Fields()
	return err == nil && slices.ContainsFunc(fields, func(f yamldoc.Field) bool { return fold(f.Key) == key })
}

// byTool reads a bound for each of some tools.
func byTool(f yamldoc.Field) (map[string]int, error) {
	fields, err := f.Fields()
	if err != nil {
		return nil, err
	}
	bounds := make(map[string]int, len(fields))
	for _, t := range fields {
		var n int
		if err := t.Decode(&n); err != nil {
			return nil, err
		}
		bounds[strings.ToLower(t.Key)] = n
	}
	return bounds, nil
}

// usable refuses a policy that cannot be meant.
func usable(w window.Policy) error {
	for _, share := range []struct {
		key string
		v   float64
	}{
		{"cap_fraction", w.CapFraction}, {"threshold", w.Compact.Fraction}, {"idle", w.Compact.Idle}, {"anti_thrash_ratio", w.Compact.ThrashRatio},
		{"clear: trigger", w.Clear.Trigger}, {"arguments: trigger", w.Arguments.Trigger}, {"arguments: keep", w.Arguments.Keep},
	} {
		if share.v < 0 || share.v > 1 {
			return fault.New(fault.Invalid, "", "%s is %v: it is a share, from 0 to 1", share.key, share.v)
		}
	}
	for _, n := range []struct {
		key string
		v   int
	}{
		{"max_turns", w.Turns}, {"max_messages", w.Messages}, {"max_result_chars", w.ResultChars}, {"max_replay_chars", w.ReplayChars},
		{"batch_chars", w.BatchChars}, {"max_tool_pairs", w.ToolPairs}, {"max_in_turn_tokens", w.InTurnTokens}, {"reserve", w.Compact.Reserve},
		{"effective_window", w.Compact.Effective}, {"compact_turns", w.Compact.Turns}, {"max_turn_input_tokens", w.Compact.SingleTurn},
		{"warn_at", w.Compact.WarnAt}, {"cutover_at", w.Compact.CutoverAt}, {"anti_thrash_window", w.Compact.ThrashWindow},
		{"clear: keep", w.Clear.Keep}, {"clear: at_least", w.Clear.AtLeast}, {"arguments: over", w.Arguments.Over},
	} {
		if n.v < 0 {
			return fault.New(fault.Invalid, "", "%s is %d: it cannot be negative", n.key, n.v)
		}
	}
	return nil
}
