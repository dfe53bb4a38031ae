package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestServerStartedInHomeOrRootLeavesNothingThere starts servers where desktop hosts start them. They
// serve the user ledger, say why there is no project, and write nothing else.
func TestServerStartedInHomeOrRootLeavesNothingThere(t *testing.T) {
	for name, dir := range map[string]func(home string) string{
		"home": func(home string) string { return home },
		"root": func(home string) string { return filepath.VolumeName(home) + string(filepath.Separator) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newBox(t)
			at := dir(s.Home)
			before := append(tree(t, s.Home), names(t, at)...)
			c := connect(t, s, at, "desktop")

			if _, err := c.Call(deadlined(t), "memory",
				map[string]any{"action": "save", "name": "mine", "body": "kept", "scope": "user"}, nil); err != nil {
				t.Error(err)
			}
			if text, err := c.Call(deadlined(t), "memory", map[string]any{"action": "get", "name": "mine"},
				nil); err != nil || !strings.Contains(text, "kept") {
				t.Errorf("user memory: %q, %v", text, err)
			}
			text, err := c.Call(deadlined(t), "memory",
				map[string]any{"action": "save", "name": "ours", "body": "x", "scope": "project"}, nil)
			if err == nil || !strings.Contains(text, "workspace") {
				t.Errorf("project memory without a project: %q, %v", text, err)
			}
			if _, err := c.Call(deadlined(t), "changes", nil, nil); err != nil {
				t.Error(err)
			}

			if after := append(tree(t, s.Home), names(t, at)...); !slices.Equal(before, after) {
				t.Errorf("before:\n%q\nafter:\n%q", before, after)
			}
			if states := names(t, filepath.Join(s.Top, "state")); !slices.Equal(states, []string{"user"}) {
				t.Errorf("ledgers %q, not the user's alone", states)
			}
		})
	}
}

// names returns the names in a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// tree returns the paths of everything below a directory.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		out = append(out, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
