package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/graph"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// alone is an environment of a user without settings of their own.
func alone(t *testing.T) env.Env {
	t.Helper()
	return env.Env{Home: t.TempDir(), Lookup: func(string) string { return "" }}
}

// parse reads one document of a workspace.
func parse(dir string, data []byte) (Config, []Problem, error) {
	d := document{name: File, dir: dir, data: data}
	problems := d.check()
	if err := failed(problems); err != nil {
		return Default(), problems, err
	}
	c, problems := merge(tokens.Builtin(), []document{d})
	return c, problems, nil
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		follow     bool
		from       int    // line of follow; 0: the default
		problems   string // joined
	}{
		{name: "empty", follow: true},
		{name: "comment only", text: "# nothing yet\n", follow: true},
		{name: "snake case", text: "follow: false\n", from: 1},
		{name: "pascal case", text: "\nFollow: false\n", from: 2},
		{name: "odd underscores and case", text: "FOL_LOW_: false\n", from: 1},
		{name: "byte order mark", text: "\ufefffollow: false\n", from: 1},
		{name: "windows line ends", text: "follow: false\r\n", from: 1},
		{name: "unknown keys are warnings", text: "a: 1\nfollow: false\nnested:\n  follow: true\n", from: 2,
			problems: `ctxledger.yaml:1:1: unknown setting "a"; ctxledger.yaml:3:1: unknown setting "nested"`},
		{name: "null keeps the default", text: "follow:\n", follow: true},
		{name: "wrong type", text: "\nfollow: maybe\n", follow: true,
			problems: "ctxledger.yaml:2:9: follow: true or false is expected, not `maybe`; the defaults are in " +
				"effect instead"},
		{name: "list", text: "- follow\n", follow: true, problems: `ctxledger.yaml:1: a mapping is expected, ` +
			`"key: value"; the defaults are in effect instead`},
		{name: "twice", text: "follow: true\nFollow: false\n", follow: true,
			problems: "ctxledger.yaml:2:1: Follow was already set on line 1; the defaults are in effect instead"},
		{name: "no yaml", text: "follow: [\n", follow: true, problems: "ctxledger.yaml:1: did not find expected " +
			"node content; the defaults are in effect instead"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, File), []byte(c.text))
			got, problems := Load(alone(t), root, "")
			if got.Follow != c.follow || got.FollowFrom.Line != c.from || got.FollowFrom.User() {
				t.Errorf("follow = %v, from %s", got.Follow, got.FollowFrom)
			}
			if s := joined(problems); s != c.problems {
				t.Errorf("problems %q", s)
			}
		})
	}
}

// bare returns settings without what is only shown of them.
func bare(c Config) Config {
	c.shown = shown{}
	return c
}

// joined joins problems.
func joined(problems []Problem) string {
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, "; ")
}

func TestWithoutAFileOrARootThereAreTheDefaults(t *testing.T) {
	for _, root := range []string{"", t.TempDir()} {
		c, problems := Load(alone(t), root, "")
		if len(problems) != 0 || !reflect.DeepEqual(bare(c), bare(Default())) {
			t.Errorf("Load(%q) = %v, %v", root, c, problems)
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "other.yaml")
	write(t, outside, []byte("follow: false\n"))
	for _, c := range []struct {
		name string
		make func(path string) error
		says string
	}{
		{"too long", func(p string) error {
			return os.WriteFile(p, bytes.Repeat([]byte("#"), yamldoc.Max+1), 0o600)
		}, "more than the limit of 1048576"},
		{"a directory", func(p string) error { return os.Mkdir(p, 0o700) }, "it is not a regular file"},
		// Invariant 10: no path outside the workspace is read through a link.
		{"a link that leads out", func(p string) error {
			return os.Symlink(outside, p)
		}, "reached through a link that points outside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			if err := c.make(filepath.Join(root, File)); err != nil {
				t.Fatal(err)
			}
			got, problems := Load(alone(t), root, "")
			if !strings.Contains(joined(problems), c.says) || !reflect.DeepEqual(bare(got), bare(Default())) {
				t.Fatalf("%+v, %v", got, problems)
			}
		})
	}
}

func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       func(*window.Policy)
		wrong      string
	}{
		{"nothing", "context: {}\n", func(*window.Policy) {}, ""},
		{"bounds", "context:\n  effective_window: 400000\n  MaxInTurnToolPairs: 12\n  ToolResultCharOverrides: " +
			"{Bash: 8000}\n  exclude_agents: [tester]\n",
			func(p *window.Policy) {
				p.Compact.Effective, p.ToolPairs, p.ResultCharsOf, p.ExcludeAgents = 400_000, 12,
					map[string]int{"bash": 8000}, []string{"tester"}
			}, ""},
		{"nested", "context:\n  clear: {trigger: 0.5, keep: 2, only: [read]}\n  arguments: {trigger: 0}\n",
			func(p *window.Policy) {
				p.Clear.Trigger, p.Clear.Keep, p.Clear.Only, p.Arguments.Trigger = 0.5, 2, []string{"read"}, 0
				p.Clear.Set, p.Arguments.Set = true, true
			}, ""},
		{"bounds that have a default", "context: {max_user_chars: 200000, max_replay_chars: 9, batch_chars: 8}\n",
			func(p *window.Policy) {
				p.ReplayChars, p.BatchChars, p.UserSet, p.ReplaySet, p.BatchSet = 9, 8, true, true, true
			}, ""},
		{"what a compaction keeps", "context:\n  keep: {turns: 3, tokens: 0, messages: 4}\n", func(p *window.Policy) {
			p.Keep = settings.Keep{Turns: 3, Messages: 4}
		}, ""},
		{"one bound of it", "context:\n  keep: {tokens: 200}\n", func(p *window.Policy) { p.Keep.Tokens = 200 }, ""},
		{"a negative one", "context: {keep: {messages: -1}}\n", nil, "keep.messages is -1: it must not be negative"},
		{"a threshold is the only bound", "context:\n  Threshold: 0.9\n", func(p *window.Policy) {
			p.Compact.Fraction, p.Compact.Effective, p.Compact.Idle, p.Compact.Gain = 0.9, 0, 0, 0
		}, ""},
		{"unless others are set as well", "context:\n  idle: 0.3\n  threshold: 0.9\n  effective_window: 50000\n",
			func(p *window.Policy) {
				p.Compact.Fraction, p.Compact.Effective, p.Compact.Idle, p.Compact.Gain = 0.9, 50_000, 0.3, 0
			}, ""},
		{"no share", "follow: true\ncontext:\n  threshold: 85\n", nil,
			"threshold is 85: it must be between 0 and 1"},
		{"negative", "context: {clear: {keep: -1}}\n", nil, "clear.keep is -1: it must not be negative"},
		{"wrong type", "context: {max_turn_age: many}\n", nil, "ctxledger.yaml:1:25: max_turn_age: a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems, err := parse(".", []byte(c.text))
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("error %v", err)
				}
				return
			}
			want := window.Default()
			c.want(&want)
			if err != nil || len(problems) > 0 || !reflect.DeepEqual(*got.Policy, want) {
				t.Errorf("%+v, %v, %v, want %+v", *got.Policy, problems, err, want)
			}
		})
	}
}

// A policy of one agent is that of everybody with what is otherwise for it. Keys are those that other
// programs know, too.
func TestPoliciesOfAgents(t *testing.T) {
	c, problems, err := parse(".", []byte(`
context: {max_tail_messages: 40, max_tool_result_tokens: 30000}
Corrections: ["FIX:"]
Agents:
  - Name: Tester
    ContextWindow: {TextOnly: true, MaxTurnAge: 3, ExcludeAgents: [reviewer]}
    MaxInTurnToolPairs: 12
    Instructions: test it
  - name: developer
    context_window: {max_tool_result_tokens: 0, clear: {keep: 2}}
`))
	if err != nil || len(problems) != 1 || problems[0].Severity != Note {
		t.Fatalf("%v, %v", problems, err)
	}
	base := window.Default()
	base.Messages, base.Evict.MaxTokens = 40, 30_000
	tester, developer := base, base
	tester.TextOnly, tester.Turns, tester.ExcludeAgents, tester.ToolPairs = true, 3, []string{"reviewer"}, 12
	developer.Evict.MaxTokens, developer.Clear.Keep = 0, 2
	want := Config{
		Follow: true, Exports: true, LedgerWarnMB: 2048, Models: tokens.Builtin(), Policy: &base,
		Agents: map[string]window.Policy{"tester": tester, "developer": developer}, Corrections: []string{"FIX:"},
		Graph: &graph.Settings{}, Hooks: DefaultHooks(),
	}
	if !reflect.DeepEqual(bare(c), want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	for text, wrong := range map[string]string{
		"agents:\n  - context_window: {}\n":                           "ctxledger.yaml:2:5: agents: one has no name",
		"agents:\n  - name: a\n  - name: A\n":                         `ctxledger.yaml:3:5: agents: "a" is listed`,
		"agents:\n  - name: gemini\n  - name: Gemini CLI\n":           `ctxledger.yaml:3:5: agents: "gemini" is listed`,
		"agents: {a: 1}\n":                                            "ctxledger.yaml:1:9: a list is expected",
		"agents:\n  - name: a\n    max_in_turn_tool_pairs: -1\n":      "must not be negative",
		"context: {tool_result_char_overrides: {bash: -1}}\n":         "bash is -1",
		"agents:\n  - name: a\n    context_window: {threshold: .nan}": "must be between 0 and 1",
	} {
		if _, _, err := parse(".", []byte(text)); err == nil ||
			!strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: error %v, want %q", text, err, wrong)
		}
	}
}

// FuzzProblemsLieInsideTheFile reads a document of a workspace.
func FuzzProblemsLieInsideTheFile(f *testing.F) {
	for _, s := range []string{"follow: false\n", "Fol_low: yes\nx: 1\n", "{follow: 1}", "? [a]\n: b\n",
		"a: &a [*a]\n", "Compaction: {Mode: lossless, TriggerTurnCount: 3}\n",
		"Orchestration:\n  Agents: [{Name: 5}]\n", "context: {threshold: 2, clear: []}\n",
		"\ufefffollow: 'ä\n  b'\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, problems, err := parse(".", data)
		if err != nil && !reflect.DeepEqual(bare(c), bare(Default())) {
			t.Fatal("settings beside an error")
		}
		lines := strings.Split(string(data), "\n")
		for _, p := range problems {
			switch {
			case p.Line < 0 || p.Line > len(lines), p.Message == "", len(p.Message) > 3_000:
				t.Fatalf("problem %+v", p)
			case p.Column > 0 && (p.End < p.Column || p.Line == 0 || p.End > len([]rune(lines[p.Line-1]))+1):
				t.Fatalf("problem %+v in a line of %d", p, len([]rune(lines[p.Line-1])))
			}
		}
	})
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUnknownSettingsAreNamedUpToALimit(t *testing.T) {
	root := t.TempDir()
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "k%d: 1\n", i)
	}
	for _, x := range []struct{ name, yaml, last string }{
		{"many", many.String(), "ctxledger.yaml: and 4,981 more problems"},
		{"long", "? " + strings.Repeat("k", 100_000) + "\n: 1\n", `ctxledger.yaml:1:3: unknown setting "` +
			strings.Repeat("k", 200) + `"`},
	} {
		if err := os.WriteFile(filepath.Join(root, File), []byte(x.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		_, problems := Load(alone(t), root, "")
		if n := len(problems); n == 0 || n > maxProblems+1 || problems[n-1].String() != x.last {
			t.Errorf("%s: %d problems, the last: %.300s", x.name, n, problems[max(0, n-1):])
		}
	}
}
