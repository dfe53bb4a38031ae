package wiring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
)

// TestHooksDoWhatTheUserSays: the daemon reads the configuration of the event's tree, which switches nothing on, and takes
// the environment of the agent's process.
func TestHooksDoWhatTheUserSays(t *testing.T) {
	e := env.System()
	e.Home = t.TempDir()
	e.Lookup = func(name string) string {
		return map[string]string{"CTXLEDGER_STATE": e.Home + "/state", "SHELL": "/of/the/daemon"}[name]
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: root, Env: e})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // nothing is of interest but the answers
	for i, c := range []struct{ agent, workspace, user, wants string }{
		{"claude-code", "", "hooks: {environment: true}\n", "Date/time: "},
		{"claude-code", "hooks: {environment: false}\n", "hooks: {environment: true}\n", "Date/time: "},
		{"claude-code", "hooks: {environment: true}\n", "hooks: {environment: false}\n", ""},
		{"claude-code", "hooks: {environment: true}\n", "", "Date/time: "},
		{"another", "", "hooks: {environment: true}\n", ""},
	} {
		for path, text := range map[string]string{
			filepath.Join(root, config.File): c.workspace, config.UserFile(e): c.user,
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		a, err := Role(e).Hook(t.Context(), l, link.HookEvent{Agent: c.agent, Name: "SessionStart", Root: root,
			Variables: map[string]string{"SHELL": "/bin/fish", "TZ": ""}, Offset: 5*3600 + 1800,
			Input: []byte(`{"session_id":"s` + string(rune('0'+i)) + `","source":"startup"}`)})
		out := a.Out
		if err == nil && a.After != nil {
			err = a.After(t.Context(), true)
		}
		if err != nil || (c.wants == "") != (len(out) == 0) || !strings.Contains(string(out), c.wants) ||
			len(out) > 0 && !strings.Contains(string(out), "+05:30") {
			t.Errorf("%+v: %s, %v", c, out, err)
		}
	}
}
