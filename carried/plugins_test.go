package carried

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A plugin's server is found as it is started: it can be asked. It is switched off with its plugin, not in the plugin's
// files, which an update replaces.
func TestServersOfPlugins(t *testing.T) {
	at := made(t, map[string]string{ // R\u004fOT is ROOT, which made would replace
		"home/.claude/settings.json": `{"enabledPlugins": {"p@m": true}}`,
		"home/.claude/plugins/installed_plugins.json": `{"version": 2, "plugins": {"p@m": [` +
			`{"scope": "project", "projectPath": "/elsewhere", "installPath": "/elsewhere"}, ` +
			`{"scope": "user", "installPath": "HOME/.claude/plugins/cache/m/p/1"}]}}`,
		"home/.claude/plugins/cache/m/p/1/.mcp.json": `{"mcpServers": {"s": {"command": "${CLAUDE_PLUGIN_R\u004fOT}/run", ` +
			`"args": ["--in", "${CLAUDE_PLUGIN_R\u004fOT}"], "env": {"AT": "${CLAUDE_PLUGIN_R\u004fOT}/x"}}}}`,
		"home/.claude.json": `{"projects": {"ROOT": {"disabledMcpServers": ["plugin:p:off"]}}}`,
	})
	dir := filepath.Join(at.home, ".claude", "plugins", "cache", "m", "p", "1")
	r := Find(t.Context(), at.options())
	if len(r.Hosts) != 1 || len(r.Hosts[0].Parts) != 1 || r.Hosts[0].Unknown != 1 {
		t.Fatalf("found %+v", r.Hosts)
	}
	p := r.Hosts[0].Parts[0]
	if got := strings.Join(p.Config.Command, " "); got != dir+"/run --in "+dir || p.Config.Env["AT"] != dir+"/x" {
		t.Errorf("it is started as %q with %v", got, p.Config.Env)
	}
	if name := p.toolPrefix(); name != "mcp__plugin_p_s__" || p.Scope != ofPlugin {
		t.Errorf("its tools begin with %q, its scope is %q", name, p.Scope)
	}
	ways := SwitchOff(at.root, p, func(path string) (string, bool) {
		raw, err := os.ReadFile(path)
		return string(raw), err == nil
	})
	if len(ways) > 0 {
		t.Errorf("it is switched off by %+v", ways)
	}
}
