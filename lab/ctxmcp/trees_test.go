package ctxmcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
)

// TestTheSettingsAreThoseOfTheClientsTree: of two trees with one ledger, each gets the errors of its own file.
func TestTheSettingsAreThoseOfTheClientsTree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on the path")
	}
	pl := programtest.NewPlace(t)
	tree := filepath.Join(filepath.Dir(pl.Root), "fix")
	for _, args := range [][]string{
		{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m",
			"first"}, {"worktree", "add", "-q", tree},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = pl.Root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	pl.StopDaemons(t)
	dir, session := claudeProject(t, pl.Root)
	for _, c := range []struct{ name, wrong, asked string }{
		{"the main tree's, asked there", pl.Root, pl.Root},
		{"the main tree's, asked in the worktree", pl.Root, tree},
		{"the worktree's, asked there", tree, tree},
		{"the worktree's, asked in the main tree", tree, pl.Root},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(c.wrong, "ctxledger.yaml")
			if err := os.WriteFile(file, []byte("summarizer: {kind: command, command: [./a]}\ncontext: [\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(file)
			cmd := pl.Command(t, binary, "--workspace", c.asked)
			cmd.Env = append(cmd.Env, "CLAUDE_CONFIG_DIR="+dir)
			p := start(t, cmd)
			text := ""
			for began := time.Now(); !strings.Contains(text, "window holds") &&
				time.Since(began) < programtest.Patience; {
				p.send(t, call("1", "context_status", map[string]any{"session": session}))
				text = p.answer(t, "1").text(t)
			}
			if told := strings.Contains(text, "ctxledger.yaml"); told != (c.wrong == c.asked) {
				t.Errorf("told: %v\n%s", told, text)
			}
			p.end(t)
		})
	}
}
