package config

import (
	"fmt"
	"slices"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/window"
)

// A contradiction is what settings that are valid by themselves mean together.
type contradiction struct {
	code          string
	is            bool
	keys          []string // the first that is set has the problem
	message, hint string
}

// together warns of settings of a policy that contradict each other, at one that the document sets: what it does not set
// is not its mistake. Each is valid by itself, and what they lead to is harmless, so the file stays in effect: an error
// would drop all of it, with what keeps sessions from being recorded and requests from being sent.
func (p *parser) together(c *Config, w window.Policy) {
	for _, x := range slices.Concat(ofCompactions(w), p.ofSizes(c, w), ofResults(w)) {
		if !x.is {
			continue
		}
		for _, key := range x.keys {
			if f, set := p.set[key]; set {
				if !p.failsAt(f) { // else what is meant is not known yet
					severity := Warning
					if x.code == "CFG213" { // it works, but rarely well
						severity = Note
					}
					p.warn(f, severity, x.code, x.message).Hint = x.hint
				}
				break
			}
		}
	}
}

// ofCompactions are contradictions about when compactions are due and what they keep.
func ofCompactions(w window.Policy) []contradiction {
	ofView := settings.Mode(w.Compact.Mode).OfView()
	needs := func(key string, n int) contradiction {
		return contradiction{"CFG308", w.Compact.Off && n > 0, []string{key, "automatic"},
			key + " needs automatic compaction, which is off", "remove one of the two"}
	}
	return []contradiction{
		{"CFG314", w.Keep == (settings.Keep{}), []string{"keep.turns", "keep.tokens", "keep.messages"},
			"keep: turns, tokens and messages are all 0: a compaction needs one of them, so the default applies",
			"set one of them to 1 or more"},
		{"CFG301", w.Compact.Turns > 0 && w.Compact.Turns <= w.Keep.Turns && !ofView,
			[]string{"compact_turns", "keep.turns"},
			fmt.Sprintf("a compaction is due at %d turns and keeps up to %d: often there is nothing to replace",
				w.Compact.Turns, w.Keep.Turns), "keep fewer turns than it is due at"},
		{"CFG306", ofView, []string{"compact_turns", "keep.turns", "keep.tokens", "keep.messages"},
			"it has no effect in mode window, which drops turns by the size of the view alone", "set effective_window"},
		{"CFG307", w.Compact.ThrashWindow > 10, []string{"anti_thrash_window"},
			fmt.Sprintf("automatic compaction is only suppressed after %d that saved little", w.Compact.ThrashWindow),
			"3 are enough to tell"},
		needs("cutover_at", w.Compact.CutoverAt), needs("max_turn_input_tokens", w.Compact.SingleTurn),
		{"CFG309", w.Compact.WarnAt > 0 && w.Compact.CutoverAt > 0 && w.Compact.WarnAt >= w.Compact.CutoverAt,
			[]string{"warn_at", "cutover_at"}, fmt.Sprintf("it warns at %d tokens, but compacts at %d",
				w.Compact.WarnAt, w.Compact.CutoverAt), "warn below cutover_at"},
	}
}

// largeWindow is the size of a window, in tokens, of which a share is too much to wait for: quality decays long before.
const largeWindow = 400_000

// ofSizes are contradictions between sizes that different sections set.
func (p *parser) ofSizes(c *Config, w window.Policy) []contradiction {
	effective, limit := w.Compact.Effective, min(most(c.Limits.Session.Tokens), most(c.Limits.Agent.Tokens))
	return []contradiction{
		{"CFG311", w.Compact.CutoverAt >= limit, []string{"cutover_at"},
			fmt.Sprintf("it stops at %d tokens (limits), before the compaction at %d", limit, w.Compact.CutoverAt),
			"set it below the limit"},
		{"CFG316", w.Compact.Usable() == 0 && w.Compact.Fraction > 0 && p.widest > largeWindow,
			[]string{"threshold", "effective_window"},
			fmt.Sprintf("of a window of %d tokens this share may be too much to wait for", p.widest), "set effective_window"},
		{"CFG317", effective > 0 && w.Keep.Tokens > effective/2, []string{"keep.tokens", "effective_window"},
			fmt.Sprintf("a compaction keeps %d tokens, more than half of the %d at which it is due", w.Keep.Tokens,
				effective), "keep less"},
		{"CFG318", p.widest > 0 && effective >= p.widest, []string{"effective_window"},
			fmt.Sprintf("no model of this file has a window above %d tokens: a compaction is due earlier, when the reserve "+
				"begins", p.widest), "set less than the window"},
		{"CFG318", p.widest > 0 && w.Compact.Reserve >= p.widest, []string{"reserve"},
			fmt.Sprintf("no model of this file has a window above %d tokens: a third of it is kept free instead", p.widest),
			"set less than half of the window"},
	}
}

// most returns a limit, the largest number for none.
func most(limit int) int {
	if limit <= 0 {
		return int(^uint(0) >> 1)
	}
	return limit
}

// ofResults are contradictions about what of messages and results is shown.
func ofResults(w window.Policy) []contradiction {
	lifts := len(w.ResultCharsOf) > 0
	for _, n := range w.ResultCharsOf {
		lifts = lifts && n == 0
	}
	return []contradiction{
		{"CFG202", w.CapFraction > 0 && w.Messages == 0, []string{"context_cap_fraction"},
			"context_cap_fraction has no effect without max_tail_messages", "set max_tail_messages"},
		{"CFG203", lifts && w.ResultChars == 0, []string{"tool_result_char_overrides"},
			"0 has no effect without max_tool_result_chars: there is no limit to lift", "set max_tool_result_chars"},
		{"CFG213", w.ToolPairs > 0 && (w.ToolPairs < 8 || w.ToolPairs > 64), []string{"max_in_turn_tool_pairs"},
			chars.Plural(w.ToolPairs, "answer") + " with calls: usual are 8 to 64", "8 to 16 are recommended"},
		{"CFG214", w.Evict.MaxTokens == 0, []string{"in_turn_tool_window"},
			"in_turn_tool_window has no effect without max_tool_result_tokens", "set max_tool_result_tokens"},
		{"CFG508", w.Clear.Trigger == 1, []string{"clear.trigger"},
			"results are cleared only when a compaction is due, which replaces them anyway", "set less than 1"},
	}
}

// excluded warns of authors that an agent excludes although it is one itself, or a state machine runs none of that name.
func (p *parser) excluded(c *Config, a agentText) {
	f, set := p.set["exclude_agents"]
	if !set || p.failsAt(f) {
		return
	}
	var names []string
	_ = f.Decode(&names) // it was decoded before
	for _, name := range names {
		key := agentname.Key(name)
		runs := func(state string) bool { return agentname.Key(state) == key }
		switch {
		case a.name != "" && (key == agentname.Key(a.name) || slices.ContainsFunc(a.knownAs, runs)):
			p.warn(f, Warning, "CFG205", fmt.Sprintf("agent %.100q excludes its own messages", name)).
				Hint = "remove it from exclude_agents"
		case len(c.Given.States) > 0 && !p.names[key] && key != "unknown" && !slices.ContainsFunc(c.Given.States, runs):
			p.warn(f, Warning, "CFG205", fmt.Sprintf("exclude_agents: no agent %.100q is declared", name)).
				Hint = "use the name under agents"
		}
	}
}

// nothing warns of a document in which nothing is known.
func (p *parser) nothing() {
	known := func(f yamldoc.Field) bool { return Find(topRules(), f.Key) != nil }
	if len(p.fields) > 0 && !slices.ContainsFunc(p.fields, known) {
		p.at(p.fields[0], Warning, "CFG002", "no setting of this file is known: it changes nothing").
			Hint = "docs/configuration.md lists the settings"
	}
}

// failsAt reports whether the value of a field is wrong by itself.
func (p *parser) failsAt(f yamldoc.Field) bool {
	line, _, _ := f.Value()
	return slices.ContainsFunc(p.problems, func(q Problem) bool {
		return q.Severity == Error && q.Line >= f.Line && q.Line <= line && q.Column >= f.Column
	})
}
