package wiring

import (
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// Whatever a workspace's files name as its summarizer, no agent reaches it: a person has to confirm it on a terminal.
// What the user's own configuration names, an agent may have written with.
func TestAnAgentUsesOnlyWhatIsTheUsersOwnOrConfirmed(t *testing.T) {
	e := env.System()
	e.Home = t.TempDir()
	e.Lookup = func(name string) string { return map[string]string{"CTXLEDGER_STATE": e.Home + "/state"}[name] }
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "project")
	for _, dir := range []string{root, filepath.Dir(config.UserFile(e))} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, workspace, user string
		want                  fault.Code
	}{
		{"none", "", "", fault.NotFound},
		{"a server", "summarizer: {kind: openai, url: http://localhost:11434, model: a}\n", "", fault.Denied},
		{"a key", "summarizer: {kind: openai, url: https://a.example, model: a, key_env: HOME}\n", "", fault.Denied},
		{"the vendor's own address and variable", "summarizer: {kind: anthropic, model: a}\n", "", fault.Denied},
		{"a key's program",
			"summarizer: {kind: openai, url: https://a.example, model: a, key_command: [/bin/sh, secret]}\n",
			"", fault.Denied},
		{"a program", "summarizer: {kind: command, command: [/bin/sh, x]}\n", "", fault.Denied},
		{"an invalid one", "summarizer: {kind: magic}\n", "", fault.Invalid},
		{"the user's", "", "summarizer: {kind: openai, url: http://localhost:11434, model: a}\n", ""},
		{"the user's, whatever the workspace says", "summarizer: {kind: command, command: [/bin/sh, x]}\n",
			"summarizer: {kind: openai, url: http://localhost:11434, model: a}\n", ""},
		{"the user's, which is invalid", "summarizer: {kind: command, command: [/bin/sh, x]}\n",
			"summarizer: {kind: magic}\n", fault.Invalid},
	} {
		for path, text := range map[string]string{
			filepath.Join(root, config.File): c.workspace, config.UserFile(e): c.user,
		} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write, _, err := Author(e)(root)
		if fault.CodeOf(err) != c.want || (write == nil) != (err != nil) ||
			c.want == fault.Denied && fault.HintOf(err) == "" {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
