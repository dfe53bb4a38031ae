package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/workspace"
)

// TestARepositoryDoesNotChooseTheUsersHooks: what is written into the user's own settings.json is the same in a repository
// that switches hooks off, and only what is written into the project's files follows it. The user's own settings decide
// about both.
func TestARepositoryDoesNotChooseTheUsersHooks(t *testing.T) {
	const off = "hooks: {large: false, outputs: false, reads: false, repeats: false, terminal: false, summary: false, " +
		"record: false, memory: false, environment: false}\n"
	const less, all = 5, 8
	for what, c := range map[string]struct {
		tree, own     string
		user, project int
	}{
		"neither":        {"", "", all, all},
		"the repository": {off, "", all, less},
		"the user":       {"", off, less, less},
		"not a file":     {"hooks: [", "", all, all},
	} {
		home, root := t.TempDir(), t.TempDir()
		e := env.System()
		e.Home, e.Dir = home, root
		places := map[string]string{"XDG_CONFIG_HOME": filepath.Join(home, "cfg")}
		e.Lookup = func(name string) string { return places[name] }
		put(t, filepath.Join(root, "ctxledger.yaml"), c.tree)
		put(t, filepath.Join(home, "cfg", "ctxledger", "config.yaml"), c.own)
		ws := workspace.Workspace{Root: root, State: filepath.Join(home, "ws"), UserState: filepath.Join(home, "state")}
		for project, want := range map[bool]int{false: c.user, true: c.project} {
			s, err := newSetup(e, ws, project)
			if err != nil {
				t.Fatal(err)
			}
			s.Machine.Programs = registry.Programs{CLI: "/opt/ctxledger", MCP: "/opt/ctxmcp"}
			h := registry.Of("claude-code")
			p, err := s.Machine.Connect(h, s.Scope, false)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(p.Changes, func(c install.Change) bool {
				return strings.HasPrefix(filepath.Base(c.Path), "settings.")
			})
			var wrote struct{ Hooks map[string]any }
			if err := json.Unmarshal(p.Changes[i].After, &wrote); err != nil || len(wrote.Hooks) != want {
				t.Errorf("%s, project %v: %d hooks, not %d (%v)", what, project, len(wrote.Hooks), want, err)
			}
		}
	}
}

// put writes a file, unless it has nothing.
func put(t *testing.T, path, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
