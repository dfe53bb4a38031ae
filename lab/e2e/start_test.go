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
	"ctxledger.dev/lab/shown"
)

// firstSteps is the page whose commands are run here.
const firstSteps = "../../docs/start.md"

// ownDir is where the programs are for its reader.
const ownDir = "/home/me/ctxledger/bin"

// dryMake returns a command of the page as it is run here: make says what it would do, since TestMain has built the
// programs.
func dryMake(command string) (made bool, out string) {
	target, made := strings.CutPrefix(command, "make ")
	if !made {
		return false, command
	}
	return true, "make --no-print-directory -n " + target
}

// checkout has the workspace of a sandbox look like a checkout: with a folder of programs, and the recorded session.
func checkout(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	copied := filepath.Join(s.Workspace, "testdata", "sessions", "shop.jsonl")
	for _, dir := range []string{filepath.Dir(copied), filepath.Join(s.Workspace, "bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, copied, string(read(t, recording)))
	for _, program := range []string{"ctxledger", "ctxmcp", "ctxhook"} {
		if err := os.Symlink(filepath.Join(bin, program), filepath.Join(s.Workspace, "bin", program)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheFirstStepsAreTrue runs the terminal example of docs/start.md, which somebody pastes into a fresh checkout, and
// compares what the programs print with the output that it shows. Nothing but ignored files is left.
func TestTheFirstStepsAreTrue(t *testing.T) {
	s := newBox(t)
	checkout(t, s)
	ran := 0
	for _, step := range example(t, recordedSteps) {
		dir := s.Workspace
		made, command := dryMake(step.command)
		if made {
			dir = filepath.Join("..", "..")
		}
		cmd := exec.CommandContext(deadlined(t), "sh", "-c", "exec 2>&1; "+command)
		cmd.Dir, cmd.Env = dir, s.Env()
		out, err := cmd.Output()
		if got := strings.ReplaceAll(string(out), bin, ownDir); err != nil || got != step.output {
			t.Errorf("$ %s\nprints (%v)\n%s\nthe page says\n%s", step.command, err, got, step.output)
		}
		ran++
	}
	if ran != 5 {
		t.Fatalf("the example has %d commands", ran)
	}
	left, err := os.ReadDir(s.Workspace)
	if err != nil || len(left) != 2 { // bin, which is ignored, and testdata
		t.Errorf("left are %v, %v", left, err)
	}
}

// The headings of its examples.
const (
	recordedSteps = "## With the recorded session of this repository"
	ownSteps      = "## With your own sessions of Claude Code"
)

// TestThePictureOfTheReadmeIsOfTheFirstSteps: it shows an audit, a compaction and the way back, as the page has them.
func TestThePictureOfTheReadmeIsOfTheFirstSteps(t *testing.T) {
	const picture = "../../docs/images/terminal.svg"
	var transcript strings.Builder
	for _, step := range append(example(t, ownSteps)[:1], example(t, recordedSteps)[2:]...) {
		transcript.WriteString("$ " + step.command + "\n" + step.output)
	}
	want := shown.Terminal(transcript.String())
	if *update {
		write(t, picture, string(want))
	}
	if !bytes.Equal(read(t, picture), want) {
		t.Errorf("%s shows something else: -update draws it", picture)
	}
}

// step is a command of the example and what it prints.
type step struct{ command, output string }

// example returns the commands of the first fenced block below a heading of the page.
func example(t *testing.T, heading string) []step {
	t.Helper()
	_, section, _ := strings.Cut("\n"+string(read(t, firstSteps)), "\n"+heading+"\n")
	_, block, _ := strings.Cut(section, "```\n$ ")
	block, _, ok := strings.Cut(block, "```\n")
	if !ok {
		t.Fatalf("the page has no fenced block that starts with a command below %q", heading)
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

// TestTheStartWithClaudeCodeIsTrue runs the two commands of the page in a fresh home that has one session of Claude Code, and
// a person who answers yes. The transcript may differ from the programs as follows, and in nothing else:
//   - "…" is for one or more lines of output;
//   - it is what remains on the screen, without colours;
//   - the programs are in /home/me/ctxledger/bin, and the home is /home/me;
//   - the recorded session names a model with a price.
//
// The command with which the page has a reader see the audit prints the same.
func TestTheStartWithClaudeCodeIsTrue(t *testing.T) {
	s := newBox(t)
	recorded := filepath.Join(s.Home, ".claude", "projects", "-home-dev-shop", "0b0e1f2a-1111-4222-8333-444455556666.jsonl")
	for _, dir := range []string{filepath.Dir(recorded), filepath.Join(s.Home, ".claude", "backups")} { // as it does
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	priced := shown.Priced(read(t, recording))
	if err := os.WriteFile(recorded, priced, 0o600); err != nil {
		t.Fatal(err)
	}
	checkout(t, s)
	steps := example(t, ownSteps)
	if len(steps) != 2 {
		t.Fatalf("the page starts with %d commands", len(steps))
	}
	_, told, _ := strings.Cut(string(read(t, firstSteps)), "\n    sed ")
	told, _, _ = strings.Cut(told, "\n")
	steps = append(steps, step{"sed " + told, steps[0].output})
	for _, step := range steps {
		out, err := typed(t, s, step.command)
		if err != nil || !transcribed(out, step.output) {
			t.Errorf("$ %s\nprints (%v)\n%s\nthe page says\n%s", step.command, err, out, step.output)
		}
	}
	if raw := read(t, recorded); !bytes.Equal(raw, priced) {
		t.Error("the session file has changed")
	}
}

// typed runs a command of the page at a terminal, and returns what it shows.
func typed(t *testing.T, s *sandbox.Sandbox, command string) (string, error) {
	t.Helper()
	return answered(t, s, command, "yes\n")
}

// answered is typed with another answer.
func answered(t *testing.T, s *sandbox.Sandbox, command, answer string) (string, error) {
	t.Helper()
	const asked = "Type yes to write these changes, d to see them: "
	person, program := terminaltest.Open(t)
	shown := terminaltest.Answer(t, person, program, asked, answer)
	cmd := exec.CommandContext(deadlined(t), "sh", "-c", command)
	cmd.Dir = s.Workspace
	cmd.Env = []string{"HOME=" + s.Home, "PATH=" + os.Getenv("PATH"), "CTXLEDGER_STATE=" + s.State}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	err := cmd.Run()
	out := screen(strings.Replace(shown(), asked, asked+"yes\n", 1))
	return strings.NewReplacer(filepath.Join(s.Workspace, "bin"), ownDir, bin, ownDir, s.Home, "/home/me").Replace(out), err
}

// TestInstallShowsItsChangesOnRequest: who is asked has read at most three lines, sees the changes for a d, and is asked again. Any
// other answer than yes writes nothing.
func TestInstallShowsItsChangesOnRequest(t *testing.T) {
	for answer, written := range map[string]bool{"d\nyes\n": true, "d\nno\n": false, "d\n\x04": false, "\n": false} {
		s := newBox(t)
		checkout(t, s)
		if err := os.MkdirAll(filepath.Join(s.Home, ".claude"), 0o700); err != nil {
			t.Fatal(err)
		}
		out, err := answered(t, s, "bin/ctxledger install claude-code", answer)
		before, after, _ := strings.Cut(out, "d to see them: ")
		if lines := strings.Count(before, "\n"); lines > 3 || strings.Contains(before, "+++") {
			t.Errorf("%q: before the question stand %d lines: %s", answer, lines, before)
		}
		if shown := strings.Contains(after, "+++ /home/me/.claude/settings.json\n"); shown != strings.HasPrefix(answer, "d") {
			t.Errorf("%q shows %s", answer, after)
		}
		_, missing := os.Stat(filepath.Join(s.Home, ".claude.json"))
		if written != (missing == nil) || written != (err == nil) {
			t.Errorf("%q: %v, %v: %s", answer, err, missing, out)
		}
	}
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
