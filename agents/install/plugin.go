package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/pattern"
)

// Plugin is a plugin of ours that an agent has enabled: it brings the server and the hooks that Connect would write.
type Plugin struct {
	Name string `json:"name"` // with its marketplace
	Path string `json:"path"` // of the configuration that enables it
	Off  string `json:"off"`  // the command that disables it
}

// pluginName matches our plugin in any marketplace. Other names are not shown: a repository can choose them.
var pluginName = pattern.Lazy(`^` + registry.ServerName + `@[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Plugin returns the plugin of ours that an agent has enabled, nil if there is none. Nothing is started; a configuration that
// cannot be read counts as empty.
func (m Machine) Plugin(h registry.Agent) *Plugin {
	if h.Plugins == nil {
		return nil
	}
	enabled := map[string]*Plugin{}
	for _, from := range h.Plugins(m.places(registry.User)) { // a later one overrides the earlier ones
		for plugin, on := range m.plugins(h, from.Scope, from.Path) {
			delete(enabled, plugin)
			if on {
				enabled[plugin] = &Plugin{plugin, from.Path, fmt.Sprintf(from.Off, plugin)}
			}
		}
	}
	names := slices.Sorted(maps.Keys(enabled))
	if len(names) == 0 {
		return nil
	}
	return enabled[names[0]]
}

// plugins returns what one configuration says of our plugins.
func (m Machine) plugins(h registry.Agent, s registry.Scope, path string) map[string]bool {
	now, err := m.read(h, s, path)
	if err != nil {
		return nil
	}
	var settings struct {
		Enabled map[string]json.RawMessage `json:"enabledPlugins"`
	}
	if json.Unmarshal(bytes.TrimPrefix(now.text, []byte("\ufeff")), &settings) != nil { // nor does the agent take it
		return nil
	}
	said := map[string]bool{}
	for plugin, value := range settings.Enabled {
		if pluginName().MatchString(plugin) {
			said[plugin] = string(value) == "true"
		}
	}
	return said
}
