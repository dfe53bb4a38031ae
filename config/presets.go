package config

import (
	"strings"

	"ctxledger.dev/internal/fault"
)

// A Preset is a named set of settings for one kind of session, as fuseraft's manual recommends them.
type Preset struct {
	Name string `json:"name"`
	For  string `json:"for"` // which sessions
	Why  string `json:"why"` // what it changes, and what that costs
	YAML string `json:"yaml"`
}

// PresetOf returns the preset with a name, in any case. Errors: not_found, with the names that there are.
func PresetOf(name string) (Preset, error) {
	var names []string
	for _, p := range Presets() {
		if strings.EqualFold(p.Name, name) {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, fault.New(fault.NotFound, "config.preset", "unknown preset %.200q: use one of %s", name,
		strings.Join(names, ", "))
}

// Text returns the preset as a part of a configuration file, with its explanation in comments.
func (p Preset) Text() string {
	var b strings.Builder
	for _, line := range []string{"For " + p.For + ".", p.Why} {
		b.WriteString("# " + line + "\n")
	}
	return b.String() + p.YAML
}

// Presets returns all presets.
func Presets() []Preset {
	return []Preset{
		{"coding", "most coding agent sessions",
			"A document from the ledger, a little earlier than by default, with fewer turns kept.",
			"context:\n  mode: intent\n  compact_turns: 40\n  keep: {turns: 8}\n"},
		{"exploratory", "throwaway sessions",
			"The oldest turns are dropped without a document; their handles still read them back.",
			"context:\n  mode: window\n  effective_window: 60000\n"},
		{"narrated", "long sessions with phases, where reasons matter",
			"Your model adds a narrative to the document: it needs a summarizer, and each compaction costs a request.",
			"context:\n  mode: hybrid\n  compact_turns: 50\n  keep: {turns: 10}\n"},
		{"chat", "interactive conversations with few calls",
			"Compacts at 75% of the window and leaves 16,000 tokens (a fifth of 80,000) as they are. It costs more than " +
				"the default.",
			"context:\n  threshold: 0.75\n  keep: {turns: 0, tokens: 16000}\n"},
		{"bursty", "agents whose turns vary a lot in size",
			"The input since the last compaction counts as well: a warning at 80,000 tokens, a compaction at 120,000.",
			"context:\n  compact_turns: 40\n  keep: {turns: 8}\n  warn_at: 80000\n  cutover_at: 120000\n"},
		{"many-calls", "agents that make many calls in one turn",
			"The view holds the newest twelve calls with their results; the rest take a line each.",
			"context:\n  max_in_turn_tool_pairs: 12\n"},
		{"reviewer", "a reviewer or tester that reads the files itself (put the agent's name there)",
			"It sees the words of the last three turns, and no calls or results.",
			"agents:\n  - name: reviewer\n    context_window: {text_only: true, max_turn_age: 3}\n"},
		{"auditor", "an agent that should know only the handoff (put the agents' names there)",
			"It sees the last twenty messages, and nothing from the agents before it.",
			"agents:\n  - name: auditor\n    context_window: {exclude_agents: [developer, tester], " +
				"max_tail_messages: 20}\n"},
		{"state-machine", "sessions of a state machine (`selection`)",
			"The mode lossless, which comes with the evidence store; until then the document from the ledger stands in for it, with a warning.",
			"compaction:\n  mode: lossless\n  trigger_turn_count: 50\n  keep_recent_turns: 10\n"},
		{"isolated", "an agent that should see nothing from the others, only artifacts and its own work (put its name there)",
			"It is given what is declared, instead of the history: see docs/given.md.",
			"agents:\n  - name: tester\n    context:\n      - source: session_context\n      - source: changes_recent:5\n" +
				"      - source: brief_field:test_targets\n      - source: own_history:4\n        max_chars: 8000\n"},
		{"fabric", "sessions as Fabric keeps them",
			"A compaction when 4,096 tokens of the window are left; the newest 20 messages stay. It costs more than the default.",
			"compaction:\n  reserve_tokens: 4096\n  keep_recent_entries: 20\n"},
		{"strict", "runs that are replayed and have to come out the same",
			"Sessions are told nothing when they begin, no results are replaced, and no compaction is automatic.",
			"context:\n  automatic: false\n  recover_from_overflow: false\n" + allHooksOff()},
	}
}

// allHooksOff is the part of a configuration that switches all hooks off.
func allHooksOff() string {
	text := "hooks:\n"
	for _, r := range hookRules() {
		text += "  " + r.Key + ": false\n"
	}
	return text
}
