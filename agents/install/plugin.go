package install

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/sessionfile"
)

// Plugin is a plugin of ours that an agent has enabled: it brings the server and the hooks that Connect would write.
type Plugin struct {
	Name string `json:"name"` // with its marketplace
	Path string `json:"path"` // of the configuration that enables it
	Off  string `json:"off"`  // the command that disables it
}

// pluginName matches our plugin in any marketplace. Other names are not shown: a repository can choose them.
var pluginName = regexp.MustCompile(`^` + name + `@[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Plugin returns the plugin of ours that an agent has enabled, nil if there is none. Only Claude Code has one. Nothing is
// started; a configuration that cannot be read counts as empty.
func (m Machine) Plugin(h Host) *Plugin {
	if h.Agent != sessionfile.ClaudeCode {
		return nil
	}
	type source struct {
		scope Scope
		flag  string // Claude Code's name of the scope
		path  string
	}
	sources := []source{{User, "user", filepath.Join(claudecode.ConfigDir(m.Env), "settings.json")}}
	if m.Root != "" {
		sources = append(sources,
			source{Project, "project", filepath.Join(m.Root, ".claude", "settings.json")},
			source{Project, "local", filepath.Join(m.Root, ".claude", "settings.local.json")})
	}
	enabled := map[string]*Plugin{}
	for _, from := range sources { // a later one overrides what the earlier ones say of a plugin
		for plugin, on := range m.plugins(h, from.scope, from.path) {
			delete(enabled, plugin)
			if on {
				enabled[plugin] = &Plugin{plugin, from.path,
					"claude plugin disable " + plugin + " --scope " + from.flag}
			}
		}
	}
	var first *Plugin
	for _, p := range enabled {
		if first == nil || p.Name < first.Name {
			first = p
		}
	}
	return first
}

// plugins returns what one configuration of Claude Code says of our plugins.
func (m Machine) plugins(h Host, s Scope, path string) map[string]bool {
	now, err := m.read(h, s, path)
	if err != nil {
		return nil
	}
	var settings struct {
		Enabled map[string]json.RawMessage `json:"enabledPlugins"`
	}
	if json.Unmarshal(bytes.TrimPrefix(now.text, []byte("\ufeff")), &settings) != nil { // nor does Claude Code take it
		return nil
	}
	said := map[string]bool{}
	for plugin, value := range settings.Enabled {
		if pluginName.MatchString(plugin) {
			said[plugin] = string(value) == "true"
		}
	}
	return said
}
