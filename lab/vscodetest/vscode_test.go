//go:build linux

package vscodetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInsideTheExtensionHost runs the suites that use VS Code's own API, each in a window of its own.
func TestInsideTheExtensionHost(t *testing.T) {
	s := newScene(t)
	s.remember(t)
	c := startCodeServer(t, s)
	empty := filepath.Join(s.Top, "empty")
	s.put(t, filepath.Join(empty, "package.json"),
		[]byte(`{"name": "empty", "publisher": "test", "version": "0.0.0", "engines": {"vscode": "*"}}`))
	for _, x := range []struct {
		suite    string
		settings map[string]any
	}{
		{"untrusted", map[string]any{"security.workspace.trust.enabled": true}},
		{"trusted", map[string]any{
			"ctxledger.hints": 50, "ctxledger.symbols": true, "ctxledger.folding": true,
			"ctxledger.countSelection": true,
			"ctxledger.diagnostics":    []string{"long-lines"},
		}},
	} {
		t.Run(x.suite, func(t *testing.T) {
			c.configure(t, x.settings)
			c.drive(t, "host.cjs", empty, filepath.Join(built.extension, "build", "suite", x.suite+".js"))
		})
	}
}

// TestWhatAPersonSees looks at the page once: the status bar, the lens, the tree, the panel.
func TestWhatAPersonSees(t *testing.T) {
	look(t, "smoke.cjs", "Dark Modern", t.ArtifactDir())
}

// TestTheEmptyViewReadsPastSessions looks at a workspace in which nothing is recorded, and no agent works.
func TestTheEmptyViewReadsPastSessions(t *testing.T) {
	s := newScene(t)
	must(t, os.Remove(s.session))
	c := startCodeServer(t, s)
	c.drive(t, "empty.cjs", t.ArtifactDir())
}

// TestScreenshots takes pictures of the same in every kind of theme, for a person to look at, and the pictures of the
// extension's page, with the frames of its animation.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("-screenshots says where to put them: make screenshots does")
	}
	for _, theme := range []string{"Dark Modern", "Light Modern", "Default High Contrast",
		"Default High Contrast Light"} {
		t.Run(theme, func(t *testing.T) {
			dir := filepath.Join(*screenshots, strings.ReplaceAll(strings.ToLower(theme), " ", "-"))
			must(t, os.MkdirAll(dir, 0o755))
			look(t, "smoke.cjs", theme, dir)
		})
	}
	for name, theme := range map[string]string{"dark": "Dark Modern", "light": "Light Modern"} {
		t.Run("the page, "+name, func(t *testing.T) {
			dir := filepath.Join(*screenshots, "page", name)
			must(t, os.MkdirAll(dir, 0o755))
			look(t, "page.cjs", theme, dir)
		})
	}
}

// look plays a script of the page, in a theme, and leaves its pictures in a directory.
func look(t *testing.T, script, theme, pictures string) {
	t.Helper()
	s := newScene(t)
	s.remember(t)
	c := startCodeServer(t, s)
	c.configure(t, map[string]any{"workbench.colorTheme": theme, "editor.minimap.enabled": false,
		"editor.codeLensFontSize": 10})
	c.drive(t, script, pictures)
}
