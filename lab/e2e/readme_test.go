package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/internal/terminaltest"
	"ctxledger.dev/lab/sandbox"
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
	for _, step := range example(t, "# ctxledger") {
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

// example returns the commands of the first fenced block below a heading of the README.
func example(t *testing.T, heading string) []step {
	t.Helper()
	_, section, _ := strings.Cut("\n"+string(read(t, "../../README.md")), "\n"+heading+"\n")
	_, block, _ := strings.Cut(section, "```\n$ ")
	block, _, ok := strings.Cut(block, "```\n")
	if !ok {
		t.Fatalf("the README has no fenced block that starts with a command below %q", heading)
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

// leftOut is a line of a transcript for one or more lines that it leaves out.
const leftOut = "…\n"

// TestTheReadmesStartIsTrue runs the three commands of the README in a fresh home that has one session of Claude Code, and
// a person who answers yes. The transcript may differ from the programs as follows, and in nothing else:
//   - "…" is for one or more lines of output;
//   - it is what remains on the screen, without colours;
//   - the programs are in /home/me/ctxledger/bin, and the home is /home/me;
//   - the recorded session names a model with a price;
//   - make says what it would do: TestMain has built the programs.
func TestTheReadmesStartIsTrue(t *testing.T) {
	s := newBox(t)
	recorded := filepath.Join(s.Home, ".claude", "projects", "-home-dev-shop", "0b0e1f2a-1111-4222-8333-444455556666.jsonl")
	if err := os.MkdirAll(filepath.Dir(recorded), 0o700); err != nil {
		t.Fatal(err)
	}
	priced := bytes.ReplaceAll(read(t, recording), []byte(`"model":"scripted"`), []byte(`"model":"claude-sonnet-4-5"`))
	if err := os.WriteFile(recorded, priced, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(bin, filepath.Join(s.Workspace, "bin")); err != nil {
		t.Fatal(err)
	}
	steps := example(t, "## Start with Claude Code")
	if len(steps) != 3 {
		t.Fatalf("the README starts with %d commands", len(steps))
	}
	for _, step := range steps {
		out, err := typed(t, s, step.command)
		if err != nil || !transcribed(out, step.output) {
			t.Errorf("$ %s\nprints (%v)\n%s\nthe README says\n%s", step.command, err, out, step.output)
		}
	}
	if raw := read(t, recorded); !bytes.Equal(raw, priced) {
		t.Error("the session file has changed")
	}
}

// typed runs a command of the README's start at a terminal, and returns what it shows.
func typed(t *testing.T, s *sandbox.Sandbox, command string) (string, error) {
	t.Helper()
	const asked = "Type yes to write these changes: "
	dir := s.Workspace
	if target, ok := strings.CutPrefix(command, "make "); ok {
		dir, command = filepath.Join("..", ".."), "make --no-print-directory -n "+target
	}
	person, program := terminaltest.Open(t)
	shown := terminaltest.Answer(t, person, program, asked, "yes\n")
	cmd := exec.CommandContext(deadlined(t), "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + s.Home, "PATH=" + os.Getenv("PATH"), "CTXLEDGER_STATE=" + s.State}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	err := cmd.Run()
	out := screen(strings.Replace(shown(), asked, asked+"yes\n", 1))
	return strings.NewReplacer(bin, "/home/me/ctxledger/bin", s.Home, "/home/me").Replace(out), err
}

// screen returns what remains on a screen: without colours, and without what was erased.
func screen(shown string) string {
	erased := regexp.MustCompile(`(?m)^.*\x1b\[K`)
	colour := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	return colour.ReplaceAllString(erased.ReplaceAllString(shown, ""), "")
}

// transcribed reports whether a transcript is that of an output.
func transcribed(output, transcript string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(transcript) {
		if line == leftOut {
			pattern.WriteString(`(?:.*\n)+?`)
		} else {
			pattern.WriteString(regexp.QuoteMeta(line))
		}
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(output)
}

// TestATranscriptThatDiffersIsNoticed shows that the comparison can fail.
func TestATranscriptThatDiffersIsNoticed(t *testing.T) {
	const output = "one\ntwo $1.00\nthree\nfour\n"
	for transcript, want := range map[string]bool{
		output:                                      true,
		"one\n" + leftOut + "four\n":                true,
		leftOut + "three\n" + leftOut:               true,
		"one\n" + leftOut:                           true,
		"one\ntwo $1.01\nthree\nfour\n":             false,
		"one\nthree\nfour\n":                        false,
		"one\n" + leftOut + "two $1.00\n" + leftOut: false, // there is nothing between them
		"one\ntwo $1.00\nthree\n":                   false,
		"":                                          false,
	} {
		if got := transcribed(output, transcript); got != want {
			t.Errorf("%q: %v", transcript, got)
		}
	}
}
