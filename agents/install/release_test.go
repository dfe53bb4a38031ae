package install

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/env"
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
		for _, e := range claudeHooks(registry.Programs{Hook: root + "ctxhook"}, config.AllHooks()) {
			out, err := confedit.Add(text, e, mineOf(e))
			must(t, err)
			text = out
		}
		must(t, os.WriteFile(hooks, text, 0o600))
	}
	var all struct{ Hooks map[string][]json.RawMessage }
	raw := readJSON(t, hooks, &all)
	for _, e := range claudeHooks(registry.Programs{Hook: root + "ctxhook"}, config.AllHooks()) {
		if state, _, err := confedit.Find(raw, e, mineOf(e)); err != nil || state != confedit.Same {
			t.Errorf("%v: %v, %v (-update writes it)", e.Path, state, err)
		}
	}
	if len(all.Hooks) != len(claudeHooks(registry.Programs{}, config.AllHooks())) {
		t.Errorf("%d events", len(all.Hooks))
	}
	want := claudeFiles(registry.Programs{MCP: root + "ctxmcp"}, config.Hooks{})[0].Entries[0]
	raw = readJSON(t, filepath.Join("plugin", ".mcp.json"), &struct{}{})
	if state, _, err := confedit.Find(raw, want, mineOf(want)); err != nil || state != confedit.Same {
		t.Errorf("the server: %v, %v", state, err)
	}
}

// manifestNeeds are the fields without which version 0.3 of the manifest of MCPB is refused, and what a bundle of a program
// says in them. A * is for any name.
var manifestNeeds = map[string]string{
	"manifest_version":          `0\.3`,
	"name":                      `[a-z0-9-]+`,
	"version":                   `\d+\.\d+\.\d+`,
	"description":               `.+`,
	"author":                    ``,
	"author.name":               `.+`,
	"server":                    ``,
	"server.type":               `binary`,
	"server.entry_point":        `server/ctxmcp`,
	"server.mcp_config":         ``,
	"server.mcp_config.command": `\$\{__dirname\}/server/ctxmcp`,
	"user_config.*.type":        `directory`,
	"user_config.*.title":       `.+`,
	"user_config.*.description": `.+`,
}

// manifestMay are other fields that we use. The schema allows no unknown ones.
var manifestMay = []string{"display_name", "license", "server.mcp_config.args", "server.mcp_config.env",
	"server.mcp_config.env.*", "user_config", "user_config.*", "user_config.*.required", "compatibility",
	"compatibility.platforms"}

// manifestProblems returns what is wrong with a manifest.
func manifestProblems(manifest map[string]any) (out []string) {
	all := map[string]any{}
	flatten(all, "", manifest)
	for path, want := range manifestNeeds {
		switch v, ok := all[path].(string); {
		case all[path] == nil:
			out = append(out, path+" is missing")
		case want != "" && (!ok || !regexp.MustCompile(`^(?:`+want+`)$`).MatchString(v)):
			out = append(out, fmt.Sprintf("%s is %v", path, all[path]))
		}
	}
	for path := range all {
		if _, ok := manifestNeeds[path]; !ok && !slices.Contains(manifestMay, path) {
			out = append(out, path+" is unknown")
		}
	}
	return out
}

// flatten lists the values of an object by their paths.
func flatten(all map[string]any, path string, object map[string]any) {
	for key, v := range object {
		at := key
		if path == "user_config" || path == "server.mcp_config.env" {
			at = "*" // named by us
		}
		if path != "" {
			at = path + "." + at
		}
		all[at] = v
		if inner, ok := v.(map[string]any); ok {
			flatten(all, at, inner)
		}
	}
}

// TestTheBundleIsWhatClaudeDesktopWants holds the manifest against what its schema requires, and shows that a field that is
// missing, empty or unknown is noticed. The package @anthropic-ai/mcpb 2.1.2 accepts the manifest, too ("mcpb validate").
func TestTheBundleIsWhatClaudeDesktopWants(t *testing.T) {
	path := filepath.Join("mcpb", "manifest.json")
	var m map[string]any
	raw := readJSON(t, path, &m)
	for _, problem := range manifestProblems(m) {
		t.Error(problem)
	}
	settings, _ := m["user_config"].(map[string]any)
	for _, x := range regexp.MustCompile(`\$\{user_config\.(\w+)\}`).FindAllStringSubmatch(string(raw), -1) {
		if settings[x[1]] == nil {
			t.Errorf("there is no setting %s", x[1])
		}
	}
	platforms, _ := m["compatibility"].(map[string]any)["platforms"].([]any)
	if len(platforms) != 1 || platforms[0] != "linux" { // a release puts its own in the place
		t.Errorf("platforms %v", platforms)
	}
	for need := range manifestNeeds {
		for _, change := range []func(object map[string]any, key string){
			func(object map[string]any, key string) { delete(object, key) },
			func(object map[string]any, key string) { object[key] = "" },
			func(object map[string]any, key string) { object[key+"s"] = "x" },
		} {
			var changed map[string]any
			readJSON(t, path, &changed)
			steps := strings.Split(strings.Replace(need, "*", "project", 1), ".")
			object := changed
			for _, step := range steps[:len(steps)-1] {
				object, _ = object[step].(map[string]any)
			}
			change(object, steps[len(steps)-1])
			if len(manifestProblems(changed)) == 0 {
				t.Errorf("a change of %s is not noticed", need)
			}
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
		{"nothing", config.Hooks{}, "SessionStart SubagentStart PreToolUse PostCompact SessionEnd"},
		{"results", config.Hooks{Repeats: true}, "SessionStart SubagentStart PreToolUse PostToolUse PostCompact SessionEnd"},
		{"large files", config.Hooks{Reads: true}, "SessionStart SubagentStart PreToolUse PostToolUse PostCompact SessionEnd"},
		{"summaries", config.Hooks{Summary: true}, "SessionStart SubagentStart PreToolUse PreCompact PostCompact SessionEnd"},
		{"the default", config.DefaultHooks(),
			"SessionStart SubagentStart UserPromptSubmit PreToolUse PostToolUse PreCompact PostCompact SessionEnd"},
		{"what was lost", config.Hooks{Record: true}, "SessionStart SubagentStart UserPromptSubmit PreToolUse PostCompact SessionEnd"},
	} {
		var events []string
		for _, e := range claudeHooks(registry.Programs{Hook: "/bin/ctxhook"}, c.do) {
			events = append(events, e.Path[1])
		}
		if got := strings.Join(events, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// claudeFiles returns the files of Claude Code: that with the servers, and that with the hooks.
func claudeFiles(p registry.Programs, do config.Hooks) []registry.File {
	h := registry.Of("claude-code")
	return h.Files(registry.Places{Programs: p, Hooks: do, Env: env.Env{Lookup: func(string) string { return "" }}})
}

func claudeHooks(p registry.Programs, do config.Hooks) []confedit.Entry {
	return claudeFiles(p, do)[1].Entries
}
