//go:build linux

package vscodetest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/lab/shown"
)

// TestInsideTheRealExtensionHost runs the suites that use VS Code's own API, each in a window of its own.
func TestInsideTheRealExtensionHost(t *testing.T) {
	s := newScene(t)
	s.remember(t)
	c := startCodeServer(t, s)
	empty := c.empty(t)
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

// readByAgent is the file that the agent in a terminal reads, and no other session.
const readByAgent = "currency/currency_test.go"

// TestTheSessionOfATerminalGoesFirstInRealVSCode runs the real Claude Code in a terminal of VS Code while another session is live.
func TestTheSessionOfATerminalGoesFirstInRealVSCode(t *testing.T) {
	s := newScene(t)
	agent := scriptedmodel.Agent(t, scriptedmodel.Claude)
	file := filepath.Join(s.Workspace, filepath.FromSlash(readByAgent))
	url := scriptedmodel.New(scriptedmodel.Script{
		scriptedmodel.Do("", scriptedmodel.Call{Tool: "Read", Input: map[string]any{"file_path": file}}),
		scriptedmodel.Say("It tests amounts of money."),
	}, nil).Start(t)
	s.put(t, filepath.Join(s.Config, ".claude.json"), fmt.Appendf(nil, `{"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
		"projects": {%q: {"hasTrustDialogAccepted": true}}}`, s.Workspace))
	variables := []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=dummy", "ANTHROPIC_MODEL=" + shown.Model,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"ENABLE_TOOL_SEARCH=false", "NO_PROXY=127.0.0.1,localhost", "TMPDIR=" + s.Top}
	must(t, os.WriteFile(s.agent(), fmt.Appendf(nil, "#!/bin/sh\nexec env %s '%s' --strict-mcp-config \"$@\"\n",
		strings.Join(variables, " "), agent), 0o700))
	c := startCodeServer(t, s)
	c.drive(t, "host.cjs", c.empty(t), filepath.Join(built.extension, "build", "suite", "terminal.js"))
}

// TestEveryFolderHasItsOwnLedgerInRealVSCode opens a folder without sessions and the project in one window.
func TestEveryFolderHasItsOwnLedgerInRealVSCode(t *testing.T) {
	s := newScene(t)
	file := filepath.Join(s.Top, "two.code-workspace")
	s.put(t, filepath.Join(s.Top, "plain", "notes.txt"), []byte("Nobody worked here.\n"))
	s.put(t, file, []byte(`{"folders": [{"path": "plain"}, {"path": "shop"}]}`))
	c := startCodeServer(t, s)
	c.driveIn(t, file, "host.cjs", c.empty(t), filepath.Join(built.extension, "build", "suite", "folders.js"))
}

// empty makes an extension without anything in it.
func (c *codeServer) empty(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(c.Top, "empty")
	c.put(t, filepath.Join(dir, "package.json"),
		[]byte(`{"name": "empty", "publisher": "test", "version": "0.0.0", "engines": {"vscode": "*"}}`))
	return dir
}

// TestWhatAPersonSeesInRealVSCode looks at the page once: the status bar, the lens, the tree, the panel.
func TestWhatAPersonSeesInRealVSCode(t *testing.T) {
	look(t, "smoke.cjs", "Dark Modern", t.ArtifactDir())
}

// TestTheEmptyViewOfRealVSCodeReadsPastSessions looks at a workspace in which nothing is recorded, and no agent works.
func TestTheEmptyViewOfRealVSCodeReadsPastSessions(t *testing.T) {
	s := newScene(t)
	must(t, os.Remove(s.session))
	c := startCodeServer(t, s)
	c.drive(t, "empty.cjs", t.ArtifactDir())
}

// TestScreenshots takes pictures of the same in every kind of theme, for a person to look at, and the pictures of the
// extension's page, with the frames of its animation.
func TestScreenshotsOfRealVSCode(t *testing.T) {
	if *screenshots == "" {
		t.Skip("-screenshots says where to put them: make screenshots does")
	}
	themes := []struct{ name, theme string }{
		{"dark", "Dark Modern"}, {"light", "Light Modern"},
		{"high-contrast-dark", "Default High Contrast"}, {"high-contrast-light", "Default High Contrast Light"},
	}
	calibrated := "" // in the first theme: figures that rest on fewer requests would differ between themes
	for _, x := range []struct{ script, dir string }{{"page.cjs", "page"}, {"smoke.cjs", ""}} {
		for _, theme := range themes {
			t.Run(x.script+" "+theme.name, func(t *testing.T) {
				dir := filepath.Join(*screenshots, x.dir, theme.name)
				must(t, os.MkdirAll(dir, 0o755))
				basis := regexp.MustCompile(`calibrated on \d+ requests`).FindString(look(t, x.script, theme.theme, dir))
				if calibrated = cmp.Or(calibrated, basis); basis != calibrated || basis == "" {
					t.Errorf("the figures are %q, those of another theme %q: take the pictures again", basis, calibrated)
				}
			})
		}
	}
}

// look plays a script of the page, in a theme, leaves its pictures in a directory, and returns what it says.
func look(t *testing.T, script, theme, pictures string) string {
	t.Helper()
	s := newScene(t)
	_, err := s.Run(t.Context(), "import", s.session) // at once: all of its requests are measured together
	must(t, err)
	s.remember(t)
	c := startCodeServer(t, s)
	c.configure(t, map[string]any{"workbench.colorTheme": theme, "editor.minimap.enabled": false})
	return c.drive(t, script, pictures)
}
