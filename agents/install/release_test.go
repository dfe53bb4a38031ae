package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/confedit"
)

// readJSON reads a file of the release.
func readJSON(t *testing.T, path string, to any) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	must(t, json.Unmarshal(raw, to))
	return raw
}

// TestThePluginDoesWhatInstallDoes: the plugin of Claude Code has the same server and the same hooks.
func TestThePluginDoesWhatInstallDoes(t *testing.T) {
	const root = "${CLAUDE_PLUGIN_ROOT}/bin/"
	hooks := filepath.Join("plugin", "hooks", "hooks.json")
	if *update {
		text := []byte{}
		for _, e := range claudeHooks(Programs{Hook: root + "ctxhook"}, config.AllHooks()) {
			out, _, err := confedit.Add(text, e, mine)
			must(t, err)
			text = out
		}
		must(t, os.WriteFile(hooks, text, 0o600))
	}
	var all struct{ Hooks map[string][]json.RawMessage }
	raw := readJSON(t, hooks, &all)
	for _, e := range claudeHooks(Programs{Hook: root + "ctxhook"}, config.AllHooks()) {
		if state, _, err := confedit.Find(raw, e, mine); err != nil || state != confedit.Same {
			t.Errorf("%v: %v, %v (-update writes it)", e.Path, state, err)
		}
	}
	if len(all.Hooks) != len(claudeEvents) {
		t.Errorf("%d events", len(all.Hooks))
	}
	want := serverEntry(server{"stdio", root + "ctxmcp", []string{}, true}, "mcpServers")[0]
	raw = readJSON(t, filepath.Join("plugin", ".mcp.json"), &struct{}{})
	if state, _, err := confedit.Find(raw, want, mine); err != nil || state != confedit.Same {
		t.Errorf("the server: %v, %v", state, err)
	}
}

// TestTheBundleIsWhatClaudeDesktopWants holds the manifest against what its schema (0.3) requires.
func TestTheBundleIsWhatClaudeDesktopWants(t *testing.T) {
	type config struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	var m struct {
		Manifest    string                `json:"manifest_version"`
		Name        string                `json:"name"`
		Display     string                `json:"display_name"`
		Version     string                `json:"version"`
		Description string                `json:"description"`
		Author      struct{ Name string } `json:"author"`
		License     string                `json:"license"`
		Server      struct {
			Type       string `json:"type"`
			EntryPoint string `json:"entry_point"`
			Config     config `json:"mcp_config"`
		} `json:"server"`
		UserConfig map[string]struct {
			Type, Title, Description string
			Required                 bool
		} `json:"user_config"`
		Compatibility struct{ Platforms []string } `json:"compatibility"`
	}
	raw := readJSON(t, filepath.Join("mcpb", "manifest.json"), &m)
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields() // the schema allows no others
	if err := d.Decode(&m); err != nil {
		t.Error(err)
	}
	if m.Manifest != "0.3" || m.Name == "" || m.Description == "" || m.Author.Name == "" || m.Server.Type != "binary" ||
		m.Server.Config.Command != "${__dirname}/"+m.Server.EntryPoint || len(m.Compatibility.Platforms) != 1 {
		t.Errorf("%+v", m)
	}
	for _, x := range regexp.MustCompile(`\$\{user_config\.(\w+)\}`).FindAllStringSubmatch(string(raw), -1) {
		if c, ok := m.UserConfig[x[1]]; !ok || c.Type != "directory" || c.Title == "" || c.Description == "" {
			t.Errorf("the setting %s: %+v", x[1], c)
		}
	}
}

// TestEventsWithNothingToDoAreLeftOut: what is switched off costs no process for each call.
func TestEventsWithNothingToDoAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		name string
		do   config.Hooks
		want string
	}{
		{"nothing", config.Hooks{}, "SessionStart PreToolUse PostCompact SessionEnd"},
		{"results", config.Hooks{Repeats: true}, "SessionStart PreToolUse PostToolUse PostCompact SessionEnd"},
		{"large files", config.Hooks{Reads: true}, "SessionStart PreToolUse PostToolUse PostCompact SessionEnd"},
		{"summaries", config.Hooks{Summary: true}, "SessionStart PreToolUse PreCompact PostCompact SessionEnd"},
		{"the default", config.DefaultHooks(),
			"SessionStart PreToolUse PostToolUse PreCompact PostCompact SessionEnd"},
	} {
		var events []string
		for _, e := range claudeHooks(Programs{Hook: "/bin/ctxhook"}, c.do) {
			events = append(events, e.Path[1])
		}
		if got := strings.Join(events, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
