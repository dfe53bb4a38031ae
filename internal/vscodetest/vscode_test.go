//go:build linux

package vscodetest

import (
	"path/filepath"
	"testing"
)

// TestInsideTheExtensionHost runs the suites that use VS Code's own API, each in a window of its own.
func TestInsideTheExtensionHost(t *testing.T) {
	s := newScene(t)
	c := startCodeServer(t, s.Sandbox, "CTX_TEST_SESSION="+s.session, "CTX_TEST_SERVERS="+s.servers)
	empty := filepath.Join(s.Top, "empty")
	s.put(t, filepath.Join(empty, "package.json"), []byte(`{"name": "empty", "publisher": "test", "version": "0.0.0", "engines": {"vscode": "*"}}`))
	for _, x := range []struct {
		suite    string
		settings map[string]any
	}{
		{"untrusted", map[string]any{"security.workspace.trust.enabled": true}},
		{"trusted", nil},
	} {
		t.Run(x.suite, func(t *testing.T) {
			c.configure(t, with(x.settings, map[string]any{"ctxledger.server.path": s.server}))
			c.drive(t, "host.cjs", empty, filepath.Join(built.extension, "build", "suite", x.suite+".js"))
		})
	}
}
