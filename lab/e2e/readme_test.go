package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheReadmesExampleIsTrue runs the terminal example of the README and compares what the
// programs print with the output that it shows.
func TestTheReadmesExampleIsTrue(t *testing.T) {
	s := newBox(t)
	copied := filepath.Join(s.Workspace, "testdata", "sessions", "shop.jsonl")
	if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, read(t, recording), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(s.Env(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	ran := 0
	for _, step := range example(t) {
		cmd := exec.CommandContext(deadlined(t), "sh", "-c", "exec 2>&1; "+step.command)
		cmd.Dir, cmd.Env = s.Workspace, env
		out, err := cmd.Output()
		if err != nil || string(out) != step.output {
			t.Errorf("$ %s\nprints (%v)\n%s\nthe README says\n%s", step.command, err, out, step.output)
		}
		ran++
	}
	if ran < 3 {
		t.Fatalf("the README's example has %d commands", ran)
	}
}

// step is a command of the example and what it prints.
type step struct{ command, output string }

// example returns the first fenced block of the README that holds commands.
func example(t *testing.T) []step {
	t.Helper()
	_, block, _ := strings.Cut(string(read(t, "../../README.md")), "```\n$ ")
	block, _, ok := strings.Cut(block, "```\n")
	if !ok {
		t.Fatal("the README has no fenced block that starts with a command")
	}
	var steps []step
	for _, part := range strings.Split(block, "\n$ ") {
		command, output, _ := strings.Cut(part, "\n")
		if output != "" && !strings.HasSuffix(output, "\n") {
			output += "\n"
		}
		steps = append(steps, step{command, output})
	}
	return steps
}
