package claudecode

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
)

// TestWhereClaudeCodeCompacts: what 2.1.328 computes of its settings and variables. To add a case, add a row; of settings
// there are those of the user, of the tree and of the user in the tree.
func TestWhereClaudeCodeCompacts(t *testing.T) {
	const opus, own = "claude-opus-4-6", "autoCompactWindow in ~/.claude/settings.json"
	for _, c := range []struct {
		name, user, tree, local, variables string // a variable, or what .claude.json has
		model                              string
		window, at                         int
		why                                string
	}{
		{"nothing is set", `{"model":"opus"}`, "", "", "", opus, 200_000, 167_000, ""},
		{"nothing is set, which refuses late", "", "", "", "", "claude-sonnet-4-5-20250929", 200_000, 200_000, ""},
		{"nothing is set, with the large window", "", "", "", "", "claude-sonnet-5", 1_000_000, 967_000, ""},
		{"nothing is set, another window", "", "", "", "", "claude-sonnet-5", 200_000, 0, ""},
		{"nothing is set, with the large window on request", "", "", "", "", "claude-sonnet-4-5", 1_000_000, 0, ""},
		{"a share, which it ignores", "", "", "", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=50", "claude-sonnet-4-5", 200_000,
			200_000, ""},
		{"a window", `{"autoCompactWindow":150000}`, "", "", "", opus, 1_000_000, 117_000,
			own},
		{"more than the model has", `{"autoCompactWindow":500000}`, "", "", "", opus, 200_000, 167_000,
			own},
		{"auto", `{"autoCompactWindow":"auto"}`, "", "", "", opus, 200_000, 167_000, ""},
		{"the nearest settings", `{"autoCompactWindow":150000}`, `{"autoCompactWindow":300000}`,
			`{"autoCompactWindow":400000}`, "", opus, 1_000_000, 367_000,
			"autoCompactWindow in ~/shop/.claude/settings.local.json"},
		{"of the model",
			`{"autoCompactWindow":150000,"modelSettings":{"claude-opus-4-6":{"autoCompactWindow":600000}}}`, "", "", "",
			opus + "-20260205[1m]", 1_000_000, 567_000, own},
		{"a variable", `{"autoCompactWindow":150000}`, "", "", "CLAUDE_CODE_AUTO_COMPACT_WINDOW=200k", opus, 1_000_000,
			167_000, "CLAUDE_CODE_AUTO_COMPACT_WINDOW"},
		{"a variable below the least", "", "", "", "CLAUDE_CODE_AUTO_COMPACT_WINDOW=500", opus, 200_000, 67_000,
			"CLAUDE_CODE_AUTO_COMPACT_WINDOW"},
		{"a variable that is no size", "", "", "", "CLAUDE_CODE_AUTO_COMPACT_WINDOW=much", opus, 200_000, 167_000, ""},
		{"a variable of the settings", `{"env":{"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE":"50"}}`, "", "", "", opus, 200_000,
			90_000, "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"},
		{"a share of a window", `{"autoCompactWindow":120000}`, "", "", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=80", opus,
			200_000, 80_000, own + " and CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"},
		{"no more than is there", "", "", "", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=99", opus, 200_000, 167_000,
			"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"},
		{"of a window that is not known", "", "", "", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=50", "x", 0, 0,
			"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"},
		{"off", `{"autoCompactWindow":150000,"autoCompactEnabled":false}`, "", "", "", opus, 200_000, 0,
			"off (autoCompactEnabled is false)"},
		{"off by a variable", "", "", "", "DISABLE_AUTO_COMPACT=1", opus, 200_000, 0,
			"off (DISABLE_AUTO_COMPACT is set)"},
		{"off by an earlier version", "", "", "", `{"autoCompactEnabled":false}`, opus, 200_000, 0,
			"off (autoCompactEnabled is false)"},
		{"on again since", `{"autoCompactEnabled":true}`, "", "", `{"autoCompactEnabled":false}`, opus, 200_000,
			167_000, ""},
		{"settings that are damaged", `{`, "", "", "", opus, 200_000, 167_000, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			tree := filepath.Join(home, "shop")
			state := ""
			if strings.HasPrefix(c.variables, "{") {
				state = c.variables
			}
			for name, text := range map[string]string{".claude/settings.json": c.user, ".claude.json": state,
				"shop/.claude/settings.json": c.tree, "shop/.claude/settings.local.json": c.local} {
				if text == "" {
					continue
				}
				path := filepath.Join(home, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e := env.Env{Home: home, Lookup: func(name string) string {
				asked, value, _ := strings.Cut(c.variables, "=")
				if name == asked {
					return value
				}
				return ""
			}}
			if at, why := AutoCompact(e, tree, c.model, "2.1.328", c.window); at != c.at || why != c.why {
				t.Errorf("%d, %q, want %d, %q", at, why, c.at, c.why)
			}
		})
	}
}

// TestWhatVersionsDoByDefault: what was tried or recorded, and nothing of others.
func TestWhatVersionsDoByDefault(t *testing.T) {
	for _, c := range []struct {
		version, model string
		window, at     int
	}{
		{"2.1.0", "claude-opus-4-5", 200_000, 0},
		{"2.1.1", "claude-opus-4-5", 200_000, 155_000},
		{"2.1.17", "claude-sonnet-4-5-20250929", 200_000, 155_000},
		{"2.1.22", "claude-opus-4-5", 200_000, 0},
		{"2.1.29", "claude-opus-4-5", 200_000, 167_000},
		{"2.1.39", "claude-opus-4-6", 200_000, 167_000},
		{"2.1.39", "claude-opus-4-6", 1_000_000, 0},
		{"2.1.100", "claude-opus-4-6", 200_000, 0},
		{"2.1.328", "claude-sonnet-4-5", 200_000, 200_000},
		{"2.2.0", "claude-opus-4-6", 200_000, 167_000},
		{"3.0.0", "claude-sonnet-5", 1_000_000, 967_000},
		{"2.1.39", "claude-sonnet-5", 1_000_000, 0},
		{"", "claude-opus-4-6", 200_000, 0},
		{"2.1.-7", "claude-opus-4-6", 200_000, 0},
		{"2.1.328.1", "claude-opus-4-6", 200_000, 0},
		{"99999999999999999999.1.1", "claude-opus-4-6", 200_000, 0},
	} {
		if at := byDefault(c.model, c.version, c.window); at != c.at {
			t.Errorf("%s with %s and a window of %d: %d, want %d", c.version, c.model, c.window, at, c.at)
		}
	}
}

// TestWhetherToolsAreSearched: the settings of the tree, or a variable of this process, have all definitions sent.
func TestWhetherToolsAreSearched(t *testing.T) {
	for _, c := range []struct {
		settings, variable string
		want               bool
	}{
		{"", "", true},
		{"", "auto:5", true},
		{"", "false", false},
		{`{"env":{"ENABLE_TOOL_SEARCH":"0"}}`, "true", false},
		{`{"env":{"ENABLE_TOOL_SEARCH":"true"}}`, "false", true},
	} {
		e := configured(t, c.settings, "ENABLE_TOOL_SEARCH", c.variable)
		if got := ToolSearch(e, filepath.Join(e.Home, "shop")); got != c.want {
			t.Errorf("%q with %q: %t", c.settings, c.variable, got)
		}
	}
}

// TestTheWindowThatAModelIsGiven: only the settings say that a model runs with the large window; without them, 4.6 does not.
func TestTheWindowThatAModelIsGiven(t *testing.T) {
	const sonnet, opus = "claude-sonnet-4-5-20250929", "claude-opus-4-6"
	for _, c := range []struct {
		model, settings, variable string
		want                      int
	}{
		{sonnet, ``, "", 0},
		{sonnet, `{"model":"sonnet"}`, "", 0},
		{sonnet, `{"model":"sonnet[1m]"}`, "", 1_000_000},
		{sonnet, `{"model":"claude-sonnet-4-5-20250929[1m]"}`, "", 1_000_000},
		{sonnet, `{"model":"opus[1m]"}`, "", 0},
		{sonnet, `{"model":"[1m]"}`, "", 0},
		{sonnet, `{"model":"opus[1m]"}`, "claude-sonnet-4-5[1m]", 1_000_000},
		{sonnet, `{"env":{"ANTHROPIC_MODEL":"sonnet[1m]"}}`, "", 1_000_000},
		{opus, ``, "", 200_000},
		{opus, `{"model":"sonnet[1m]"}`, "", 200_000},
		{opus, `{"model":"opus[1m]"}`, "", 1_000_000},
		{"claude-opus-5", ``, "", 0},
	} {
		e := configured(t, c.settings, "ANTHROPIC_MODEL", c.variable)
		if got := Window(e, e.Home, c.model); got != c.want {
			t.Errorf("%s, %s %s: %d, want %d", c.model, c.settings, c.variable, got, c.want)
		}
	}
}

// configured returns a home with settings of Claude Code, and one variable.
func configured(t *testing.T, settings, variable, value string) env.Env {
	t.Helper()
	home := t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(home, ".claude"), 0o700),
		os.WriteFile(filepath.Join(home, ".claude", "settings.json"), []byte(settings), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return env.Env{Home: home, Lookup: func(name string) string { return map[string]string{variable: value}[name] }}
}
