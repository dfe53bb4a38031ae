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

// ownDir is where the programs are for the reader of a page.
const ownDir = "/home/me/ctxledger/bin"

// checkout has a directory look like a checkout: with the programs, the recorded session and the examples.
func checkout(t *testing.T, dir string) {
	t.Helper()
	for _, below := range []string{"bin", "testdata/sessions", "docs"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(below)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "testdata", "sessions", "shop.jsonl"), string(read(t, recording)))
	if err := os.CopyFS(filepath.Join(dir, "docs", "examples"), os.DirFS("../../docs/examples")); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"ctxledger", "ctxmcp", "ctxhook", "ctxlsp"} {
		if err := os.Symlink(filepath.Join(bin, program), filepath.Join(dir, "bin", program)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestThePictureOfTheReadmeIsOfTheFirstSteps: it shows an audit, a compaction and the way back, as the page has them.
func TestThePictureOfTheReadmeIsOfTheFirstSteps(t *testing.T) {
	const picture = "../../docs/images/terminal.svg"
	var all []step
	for _, block := range fenced.FindAllStringSubmatch(string(read(t, "../../docs/start.md")), -1) {
		all = append(all, steps(t, "$ ", block[3])...)
	}
	var transcript strings.Builder
	for _, i := range []int{6, 2, 3, 4} {
		transcript.WriteString("$ " + all[i].command + "\n" + all[i].output)
	}
	want := shown.Terminal(transcript.String())
	if *update {
		write(t, picture, string(want))
	}
	if !bytes.Equal(read(t, picture), want) {
		t.Errorf("%s shows something else: -update draws it", picture)
	}
}

// fenced matches a block of a page, with the paragraph before it.
var fenced = regexp.MustCompile("(?ms)(?:(?:^[^`\n][^\n]*\n)+\n?)?^```([a-z]+)(?: ([^\n]*))?\n(.*?)^```$")

// step is something that a page does, and what is shown then.
type step struct{ command, output string }

// steps returns the steps of a block, each of which begins with a prompt.
func steps(t *testing.T, prompt, block string) (all []step) {
	t.Helper()
	first, ok := strings.CutPrefix(block, prompt)
	if !ok {
		t.Fatalf("the block does not begin with %q: %s", prompt, block)
	}
	for _, part := range strings.Split(strings.TrimSuffix(first, "\n"), "\n"+prompt) {
		command, output, _ := strings.Cut(part+"\n", "\n")
		all = append(all, step{command, output})
	}
	return all
}

// leftOut is a line of a transcript for one or more lines that it leaves out; dots are for a part of a line.
const (
	dots    = "…"
	leftOut = dots + "\n"
)

// answered runs a command at a terminal where a person gives an answer, and returns what it shows.
func answered(t *testing.T, s *sandbox.Sandbox, command, answer string) (string, error) {
	t.Helper()
	const asked = "Type yes (or y) to write these changes, d to see them: "
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

// TestInstallShowsItsChangesOnRequest: who is asked has read at most five lines, sees the changes for a d, and is asked again. Any
// other answer than yes writes nothing.
func TestInstallShowsItsChangesOnRequest(t *testing.T) {
	for answer, written := range map[string]bool{"d\nyes\n": true, "d\nno\n": false, "d\n\x04": false, "\n": false} {
		s := newBox(t)
		checkout(t, s.Workspace)
		if err := os.MkdirAll(filepath.Join(s.Home, ".claude"), 0o700); err != nil {
			t.Fatal(err)
		}
		out, err := answered(t, s, "bin/ctxledger install claude-code", answer)
		before, after, _ := strings.Cut(out, "d to see them: ")
		if lines := strings.Count(before, "\n"); lines > 5 || strings.Contains(before, "+++") {
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
			pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), dots, ".+?"))
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
		"one\ntwo $… \nthree\n…ur\n":                false,
		"one\ntwo $…\nthree\n…ur\n":                 true,
		"one\n…\n…":                                 false, // its last line has no end
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
