package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/window"
)

// TestDefaultsAreThoseOfTheRules writes each default of context and its mappings into a file: it changes nothing.
func TestDefaultsAreThoseOfTheRules(t *testing.T) {
	var check func(path []string, rules []Rule)
	check = func(path []string, rules []Rule) {
		for _, r := range rules {
			keys := append(path[:len(path):len(path)], r.Key)
			if r.Kind == Mapping {
				check(keys, r.Rules)
				continue
			}
			if r.Default == "" {
				continue
			}
			text := r.Default
			for i := len(keys) - 1; i >= 0; i-- {
				text = fmt.Sprintf("{%s: %s}", keys[i], text)
			}
			want := window.Default()
			if r.first != nil {
				r.first(&target{policy: &want})
			}
			c, problems, err := parse(".", []byte(text))
			if err != nil {
				t.Errorf("%s: %v", text, problems)
				continue
			}
			if got := settled(*c.Policy); !reflect.DeepEqual(got, settled(want)) {
				t.Errorf("%s changes the policy to %+v", text, got)
			}
		}
	}
	check([]string{"context"}, contextRules())
}

// settled brings lists without elements, and the mode that stands for the default, into one form.
func settled(p window.Policy) window.Policy {
	lists := []*[]string{&p.ReadOnly, &p.ExcludeAgents, &p.Clear.Exclude, &p.Clear.Only, &p.Arguments.Tools}
	for _, list := range lists {
		if len(*list) == 0 {
			*list = nil
		}
	}
	if p.Compact.Mode == "intent" {
		p.Compact.Mode = ""
	}
	return p
}

// ownReserve is what another program's reserve means: a compaction is due where it begins.
func ownReserve(p *window.Policy, tokens int) {
	p.Compact.Reserve, p.Compact.Fraction, p.Compact.Effective, p.Compact.Idle, p.Compact.Gain = tokens, 0, 0, 0, 0
}

// TestConfigurationsOfOtherPrograms loads what people of fuseraft, Fabric and pi have: it does what it does there, or a
// note says that it has no effect. No such file is refused.
func TestConfigurationsOfOtherPrograms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       func(*window.Policy)
		says       string // the problems, each to its first colon
	}{
		{"fuseraft: compaction", "Compaction:\n  TriggerTurnCount: 30\n  KeepRecentTurns: 8\n  Mode: window\n" +
			"  AntiThrashMinSavingsRatio: 0.2\n  AntiThrashWindow: 5\n  IncludeReasoning: true\n",
			func(p *window.Policy) {
				p.Compact.Turns, p.Keep, p.Compact.Mode = 30, settings.Keep{Turns: 8}, "window"
				p.Compact.ThrashRatio, p.Compact.ThrashWindow, p.Compact.Reasoning = 0.2, 5, true
			}, "warning it has no effect in mode window, which drops turns by the size of the view alone"},
		{"fuseraft: in snake case", "compaction: {trigger_turn_count: 30}\n", func(p *window.Policy) {
			p.Compact.Turns = 30
		}, ""},
		{"fuseraft: around everything", "Orchestration:\n  Compaction: {TriggerTurnCount: 30}\n",
			func(p *window.Policy) { p.Compact.Turns = 30 }, ""},
		{"fuseraft: as JSON", "{\n\t\"Orchestration\": {\n\t\t\"Compaction\": {\"TriggerTurnCount\": 30}\n\t}\n}\n",
			func(p *window.Policy) { p.Compact.Turns = 30 }, ""},
		{"fuseraft: what has no effect", "Compaction:\n  TokenBudget: 80000\n  MaxCharsPerHistoryMessage: 8000\n" +
			"  Model: gpt-5\n",
			func(*window.Policy) {}, "note TokenBudget is ignored, " +
				"warning Model has no effect without a summarizer in this file"},
		{"fuseraft: the budget of a window", "Compaction: {TokenBudget: 60000, Mode: window}\n",
			func(p *window.Policy) { p.Compact.Mode, p.Compact.Effective = "window", 60_000 }, ""},
		{"fuseraft: a mode that is missing", "Compaction: {Mode: lossless}\n", func(p *window.Policy) {
			p.Compact.Mode = "intent"
		}, "warning Mode lossless needs the evidence store, which this version does not have; intent is used instead"},
		{"fuseraft: the budget", "ContextBudget:\n  WarnAt: 1000\n  CutoverAt: 2000\n  MaxSingleTurnInputTokens: 500\n" +
			"  MaxToolResultTokens: 40\n  InTurnToolWindow: 7\n",
			func(p *window.Policy) {
				p.Compact.WarnAt, p.Compact.CutoverAt, p.Compact.SingleTurn = 1000, 2000, 500
				p.Evict.MaxTokens, p.Evict.Window = 40, 7
			}, ""},
		{"fuseraft: other sections", "SchemaVersion: '2026-01'\nChangeTracking: {Path: a.json}\n" +
			"Memory: {Provider: webhook}\nEnableMemory: true\nSelection: {Type: keyword}\nSecurity: {ReadFileSizeLimit: 20000}\n", nil,
			"note SchemaVersion is ignored, note ChangeTracking is ignored, note Memory is ignored, " +
				"note EnableMemory is ignored, note Selection is ignored, note Security is ignored"},
		{"Fabric", "compaction: {enabled: true, keepRecentEntries: 20, reserveTokens: 4096, recoverFromOverflow: false, " +
			"generateSummary: true}\n",
			func(p *window.Policy) {
				p.Keep, p.Compact.NoRecovery = settings.Keep{Messages: 20}, true
				ownReserve(p, 4096)
			}, ""},
		{"Fabric: no compaction by itself", "compaction: {enabled: false}\n", func(p *window.Policy) {
			p.Compact.Off = true
		}, ""},
		{"Fabric: a threshold in tokens", "compaction: {compactAtTokens: 150000}\n", func(p *window.Policy) {
			p.Compact.Effective, p.Compact.Fraction, p.Compact.Idle, p.Compact.Gain = 150_000, 0, 0, 0
		}, ""},
		{"pi", "compaction: {reserveTokens: 16384, keepRecentTokens: 20000}\n", func(p *window.Policy) {
			p.Keep = settings.Keep{Tokens: 20_000}
			ownReserve(p, 16_384)
		}, ""},
		{"ctxledger's own key wins", "context: {compact_turns: 20}\nCompaction: {TriggerTurnCount: 30}\n",
			func(p *window.Policy) { p.Compact.Turns = 20 }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems, err := parse(".", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			var says []string
			for _, p := range problems {
				before, _, _ := strings.Cut(p.Message, ":")
				says = append(says, p.Severity.String()+" "+before)
			}
			if s := strings.Join(says, ", "); s != c.says {
				t.Errorf("problems %s", s)
			}
			if c.want == nil {
				if got.Policy != nil {
					t.Errorf("%+v", got.Policy)
				}
				return
			}
			want := window.Default()
			if c.want(&want); !reflect.DeepEqual(*got.Policy, want) {
				t.Errorf("%+v, want %+v", *got.Policy, want)
			}
		})
	}
}

// TestAnUnknownKeyIsComparedWithTheKnownOnes looks for spelling mistakes.
func TestAnUnknownKeyIsComparedWithTheKnownOnes(t *testing.T) {
	for text, want := range map[string]string{
		"folow: true":                         "follow",
		"context: {treshold: 0.5}":            "threshold",
		"context: {MaxTurnAges: 5}":           "max_turn_age",
		"Compaction: {TriggerTurns: 5}":       "trigger_turn_count",
		"context: {clear: {keeps: 1}}":        "keep",
		"summarizer: {kind: openai, modl: m}": "model",
		"colour: blue":                        "",
		"context: {x: 1}":                     "",
	} {
		_, problems, _ := parse(".", []byte(text))
		got := ""
		for _, p := range problems {
			if p.Key != "" {
				got = strings.TrimSuffix(strings.TrimPrefix(p.Hint, "did you mean "), "?")
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestPresetsLoad puts each preset into a file: nothing is wrong with it, and it sets something.
func TestPresetsLoad(t *testing.T) {
	for _, p := range Presets() {
		c, problems, err := parse(".", []byte(p.Text()))
		if p.Name == "state-machine" && len(problems) == 1 && problems[0].Code == "CFG304" { // a mode is missing
			problems = nil
		}
		if strict := c.Hooks == (Hooks{}) && c.Policy != nil && c.Policy.Compact.Off; strict != (p.Name == "strict") {
			t.Errorf("%s: nothing told and nothing automatic: %t", p.Name, strict)
		}
		if err != nil || len(problems) > 0 || c.Policy == nil && len(c.Agents) == 0 {
			t.Errorf("%s: %v, %v", p.Name, problems, err)
		}
	}
	if _, err := PresetOf("CODING"); err != nil {
		t.Error(err)
	}
	if _, err := PresetOf("x"); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "exploratory") {
		t.Error(err)
	}
}
