package claudecode

import (
	"strings"

	"ctxledger.dev/internal/env"
)

// Hooked reports whether Claude Code runs our hook when a session begins in a tree: by its settings, or by our plugin. What
// cannot be read, and settings that are given with its arguments, count as none.
func Hooked(e env.Env, tree string) bool {
	if e.Lookup("CLAUDE_PLUGIN_ROOT") != "" {
		return true // the server of a plugin, which has the hooks as well
	}
	hooked, off := false, false
	all, _ := settings(e, tree)
	for _, s := range all {
		start := string(s.Hooks["SessionStart"])
		hooked = hooked || strings.Contains(start, "ctxhook") || strings.Contains(start, "ctxledger")
		for plugin, value := range s.EnabledPlugins {
			hooked = hooked || strings.HasPrefix(plugin, "ctxledger@") && string(value) == "true"
		}
		if s.DisableAllHooks != nil {
			off = *s.DisableAllHooks
		}
	}
	return hooked && !off
}
