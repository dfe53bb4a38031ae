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
	look(t, "Dark Modern", t.ArtifactDir())
}

// TestScreenshots takes pictures of the same in every kind of theme, for a person to look at.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("-screenshots says where to put them: make screenshots does")
	}
	for _, theme := range []string{"Dark Modern", "Light Modern", "Default High Contrast",
		"Default High Contrast Light"} {
		t.Run(theme, func(t *testing.T) {
			dir := filepath.Join(*screenshots, strings.ReplaceAll(strings.ToLower(theme), " ", "-"))
			must(t, os.MkdirAll(dir, 0o755))
			look(t, theme, dir)
		})
	}
}

// look plays the script of the page, in a theme, and leaves its pictures in a directory.
func look(t *testing.T, theme, pictures string) {
	t.Helper()
	c := startCodeServer(t, newScene(t))
	c.configure(t, map[string]any{"workbench.colorTheme": theme})
	c.drive(t, "smoke.cjs", "currency/currency.go", pictures)
}
