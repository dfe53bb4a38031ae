package claudecode

import (
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/env"
)

// TestWhenOurHooksRun: by settings of the user, of the tree and of the user in the tree, and by our plugin.
func TestWhenOurHooksRun(t *testing.T) {
	const ours = `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/opt/ctxhook","args":["claude-code"]}]}]}}`
	for _, c := range []struct {
		name, user, tree, local, root string
		want                          bool
	}{
		{name: "nothing"},
		{name: "of the user", user: ours, want: true},
		{name: "of the tree, by the command line", want: true,
			tree: `{"hooks":{"SessionStart":[{"hooks":[{"command":"ctxledger hook claude-code SessionStart"}]}]}}`},
		{name: "of the user in the tree", local: ours, want: true},
		{name: "of somebody else", user: `{"hooks":{"SessionStart":[{"hooks":[{"command":"date"}]}]}}`},
		{name: "of another event", user: `{"hooks":{"PreCompact":[{"hooks":[{"command":"/opt/ctxhook"}]}]}}`},
		{name: "switched off", user: ours, local: `{"disableAllHooks":true}`},
		{name: "our plugin", user: `{"enabledPlugins":{"ctxledger@market":true,"other@market":true}}`, want: true},
		{name: "our plugin, disabled", user: `{"enabledPlugins":{"ctxledger@market":false}}`},
		{name: "the server of a plugin", root: "/plugins/ctxledger", want: true},
		{name: "damaged", user: `{"hooks":`},
		{name: "of another shape", user: `{"hooks":[1],"enabledPlugins":"all"}`},
	} {
		home := t.TempDir()
		for name, text := range map[string]string{".claude/settings.json": c.user, "shop/.claude/settings.json": c.tree,
			"shop/.claude/settings.local.json": c.local} {
			path := filepath.Join(home, name)
			if text == "" {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		e := env.Env{Home: home, Lookup: func(name string) string {
			return map[string]string{"CLAUDE_PLUGIN_ROOT": c.root}[name]
		}}
		if got := Hooked(e, filepath.Join(home, "shop")); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
