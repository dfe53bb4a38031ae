package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"ctxledger.dev/internal/fault"
)

// Point is one fault.
type Point struct {
	Call  string // system call
	Error string // what it fails with: "EIO"
	N     int    // which call of a thread fails, from 1
}

func (p Point) String() string { return fmt.Sprintf("%s:error=%s:when=%d", p.Call, p.Error, p.N) }

// Said is one line of a program that is made to fail: a step was acknowledged, or failed. Step 0 is
// what happens before the first step and after the last.
type Said struct {
	Step    int        `json:"step"`
	Acked   bool       `json:"acked,omitempty"`
	Code    fault.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
	Hint    string     `json:"hint,omitempty"`
}

// Outcome is what became of a run.
type Outcome struct {
	Acked    int      // the last acknowledged step
	Failures []Said   // in order
	Finished bool     // whether the program ended well
	Injected int      // calls that were made to fail
	Files    []string // base names of what the failed calls were about: an open file, or the new name of a renamed one
	Stderr   string
}

// Inject runs a program with a fault at calls that concern one of the paths. The program writes
// lines of Said. dir is for the harness' own use. An error is one of the harness.
func Inject(ctx context.Context, dir string, p Point, paths []string, program ...string) (Outcome, error) {
	trace := filepath.Join(dir, "injected")
	args := []string{"-f", "-qq", "-y", "--signal=none", "-o", trace, "-e", "trace=" + p.Call, "-e",
		"inject=" + p.String()}
	for _, path := range paths {
		args = append(args, "-P", path)
	}
	cmd := exec.CommandContext(ctx, "strace", append(append(args, "--"), program...)...)
	o, err := run(cmd)
	if err != nil {
		return o, err
	}
	raw, err := os.ReadFile(trace)
	for line := range bytes.Lines(raw) {
		if !bytes.Contains(line, []byte("(INJECTED)")) {
			continue
		}
		o.Injected++
		for _, form := range []*regexp.Regexp{renamed, openFile} {
			if m := form.FindSubmatch(line); m != nil {
				o.Files = append(o.Files, filepath.Base(string(m[1])))
				break
			}
		}
	}
	return o, err
}

// What a traced call is about: fdatasync(7</state/ledger.db>) = -1 …, renameat(7</state>, "new", 7</state>, "ledger.db") …
var (
	openFile = regexp.MustCompile(`^\d+\s+\w+\(\d+<([^>]*)>`)
	renamed  = regexp.MustCompile(`^\d+\s+(?:renameat|linkat)2?\(.*, "([^"]*)"[,)]`)
)

// Run runs a program without faults.
func Run(ctx context.Context, program ...string) (Outcome, error) {
	return run(exec.CommandContext(ctx, program[0], program[1:]...))
}

// run reads what a program says and how it ends.
func run(cmd *exec.Cmd) (Outcome, error) {
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return Outcome{}, err
	}
	o := Outcome{Finished: err == nil, Stderr: stderr.String()}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var s Said
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return o, fmt.Errorf("the program said %.200q: %w; %s", lines.Text(), err, o.Stderr)
		}
		if s.Acked {
			o.Acked = s.Step
		} else {
			o.Failures = append(o.Failures, s)
		}
	}
	return o, nil
}
