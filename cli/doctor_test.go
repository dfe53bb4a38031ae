package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

// TestDoctorSaysThatFilesArePolled, with the limit, and nothing where they are watched.
func TestDoctorSaysThatFilesArePolled(t *testing.T) {
	line := func(s string, _ int) string { return s }
	for want, p := range map[string]*ledger.Polling{
		"": nil,
		"watching files are polled every 2 s: the limit of inotify watches is reached": {
			Why: "the limit of inotify watches is reached", Seconds: 2},
	} {
		var shown bytes.Buffer
		r := doctorReport{Self: named, Daemon: daemonState{Running: true, PID: 7, Polling: p}}
		r.print(&shown, columns.New(line, false, "AGENT", "VERSION", "STATE", "TO DO"), 0, line)
		text := strings.Join(strings.Fields(shown.String()), " ")
		if !strings.Contains(text, want) || p == nil && strings.Contains(text, "watching") {
			t.Errorf("%s", &shown)
		}
	}
}

// TestDoctorKnowsThePlugin: the plugin of Claude Code brings the hooks that install would write. With both every hook runs
// twice, and the command that ends it is told.
func TestDoctorKnowsThePlugin(t *testing.T) {
	const on = `"enabledPlugins": {"ctxledger@ctxledger": true}`
	const off = `"enabledPlugins": {"ctxledger@ctxledger": false}`
	const hook = `"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "/old/ctxledger", ` +
		`"args": ["hook", "claude-code", "SessionEnd"]}]}]}`
	for what, c := range map[string]struct{ settings, state, fix string }{
		"neither":   {`{}`, notConnected, "ctxledger install claude-code"},
		"plugin":    {`{` + on + `}`, byPlugin, ""},
		"hook":      {`{` + hook + `}`, broken, "ctxledger install claude-code --replace"},
		"both":      {`{` + on + `, ` + hook + `}`, twice, "claude plugin disable ctxledger@ctxledger --scope user"},
		"disabled":  {`{` + off + `}`, notConnected, "ctxledger install claude-code"},
		"a foreign": {`{` + on + `, ` + strings.Replace(hook, "/old/ctxledger", "/their/own", 1) + `}`, byPlugin, ""},
	} {
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(home, ".claude", "settings.json")
		if err := os.WriteFile(path, []byte(c.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		e := env.System()
		e.Home, e.Lookup = home, func(string) string { return "" }
		s := setup{self: named, Machine: install.Machine{Env: e, State: filepath.Join(home, "state"),
			Programs: registry.Programs{CLI: "/opt/ctxledger", MCP: "/opt/ctxmcp"}}}
		r, err := s.doctor([]string{"claude-code"}, daemonState{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if serves := s.serves(registry.Of("claude-code")); serves != (c.state == byPlugin || c.state == twice) {
			t.Errorf("%s: it has our server: %v", what, serves)
		}
		if a := r.Agents[0]; a.State != c.state || a.Fix != c.fix {
			t.Errorf("%s: %s, %q; want %s, %q", what, a.State, a.Fix, c.state, c.fix)
		}
		var shown bytes.Buffer
		line := func(s string, _ int) string { return s }
		r.print(&shown, columns.New(line, false, "AGENT", "VERSION", "STATE", "TO DO"), 0, line)
		if told := strings.Contains(shown.String(), "every hook runs twice"); told != (c.state == twice) {
			t.Errorf("%s:\n%s", what, &shown)
		}
		hosts, err := s.meant([]string{"claude-code"})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := s.plan(hosts, false)
		if plugin := c.state == byPlugin || c.state == twice; err != nil || (len(plan.Changes) == 0) != plugin ||
			(len(plan.Left) == 1) != plugin {
			t.Errorf("%s: %+v, %v", what, plan, err)
		}
	}
}
