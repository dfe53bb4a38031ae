package scriptedmodel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheVariableNamesTheRealAgents(t *testing.T) {
	top := t.TempDir()
	t.Setenv(AgentsVariable, top)
	want := filepath.Join(top, Claude, "node_modules", ".bin", Claude)
	program := filepath.Join(top, Claude, "node_modules", "claude-code", "bin", "claude.exe")
	for _, dir := range []string{filepath.Dir(want), filepath.Dir(program)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	about := filepath.Join(filepath.Dir(filepath.Dir(program)), "package.json")
	for path, text := range map[string]string{program: "", about: `{"version": "` + Pinned(t, Claude) + `"}`} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(program, want); err != nil {
		t.Fatal(err)
	}
	if got := Agent(t, Claude); got != want {
		t.Errorf("Agent = %q, want %q", got, want)
	}
}

// TestRealAgentsAreThoseOfTheMakefile asks each installed agent for its version: npm installs older ones where it thinks
// that the new ones do not run. Those in JavaScript run on the Node that was installed with them.
func TestRealAgentsAreThoseOfTheMakefile(t *testing.T) {
	for name, script := range map[string]bool{Claude: false, "codex": true, "gemini": true, "opencode": false, "pi": true} {
		t.Run(name, func(t *testing.T) {
			program := Agent(t, name)
			raw, err := os.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			path := "PATH=/usr/bin:/bin"
			if on := bytes.HasPrefix(raw, []byte("#!/usr/bin/env node\n")); on != script {
				t.Errorf("it is a script of Node: %v", on)
			}
			if script {
				path = "PATH=" + Node(t) + ":/usr/bin:/bin"
				node := printed(t, path, "/usr/bin/env", "node", "--version")
				if node != "v"+Pinned(t, "NODE") || !strings.HasPrefix(node, "v22.") {
					t.Errorf("it runs on Node %s", node)
				}
			}
			version := regexp.MustCompile(`(?m)(?:^|\s)` + regexp.QuoteMeta(Pinned(t, name)) + `(?:\s|$)`)
			if got := printed(t, path, program, "--version"); !version.MatchString(got) {
				t.Errorf("its version is %s, not %s", got, Pinned(t, name))
			}
		})
	}
}

// printed returns what a program prints in a home of its own.
func printed(t *testing.T, path, program string, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{path, "HOME=" + cmd.Dir, "DISABLE_AUTOUPDATER=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "PI_OFFLINE=1",
		"TERM=dumb"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, out)
	}
	return strings.TrimSpace(string(out))
}
