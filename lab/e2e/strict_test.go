package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	model "ctxledger.dev/lab/scriptedmodel"
)

// TestTheRealAgentTakesPlainJSONAlone records for which of Claude Code's files that is so: all that install writes. In a
// file with a comment or a trailing comma it reads nothing; a byte order mark is no trouble.
func TestTheRealAgentTakesPlainJSONAlone(t *testing.T) {
	claude := model.Agent(t, model.Claude) // skips without one
	const hook = `"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch RAN"}]}]}`
	const servers = `"mcpServers": {"probe": {"alwaysLoad": true, "type": "stdio", "command": "/bin/sh", ` +
		`"args": ["-c", "touch RAN"]}}`
	for name, text := range map[string]string{
		"config/settings.json": hook, "ws/.claude/settings.local.json": hook,
		"config/.claude.json": servers, "ws/.mcp.json": servers,
	} {
		for form, runs := range map[string]bool{"{TEXT}": true, "\ufeff{TEXT}\r\n": true, "{\n// mine\nTEXT}": false, "{TEXT,}": false} {
			t.Run(name+" "+form, func(t *testing.T) {
				s := newBox(t)
				ran := filepath.Join(s.Top, "ran")
				dir, rest, _ := strings.Cut(name, "/")
				path := filepath.Join(map[string]string{"config": s.Config, "ws": s.Workspace}[dir], filepath.FromSlash(rest))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				write(t, path, strings.Replace(form, "TEXT", strings.Replace(text, "RAN", ran, 1), 1))
				server := model.New(model.Script{model.Say("Well.")}, nil)
				o := withHooks(s, server.Start(t), "How are you?")
				o.Plugin = s.Top // none: with one, servers of configurations are not left out
				o.ExtraArgs = []string{"--settings", `{"enableAllProjectMcpServers": true}`}
				ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
				defer cancel()
				_, err := model.Exec(ctx, claude, o)
				if failed := err != nil; failed != (rest == ".claude.json" && !runs) {
					t.Errorf("%v", err)
				}
				if _, err := os.Stat(ran); (err == nil) != runs {
					t.Errorf("it ran: %v, want %v", err == nil, runs)
				}
			})
		}
	}
}
