package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"ctxledger.dev/internal/terminaltest"
)

// terminal is a shell at a terminal, with somebody who types yes when he is asked for it.
type terminal struct {
	t      *testing.T
	person *os.File
	script *os.File // the shell reads its commands there
}

// newTerminal opens one, which ends with the test, as does what it has left in the background.
func newTerminal(t *testing.T, dir string, variables ...string) *terminal {
	t.Helper()
	person, program := terminaltest.Open(t)
	commands, script, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx := deadlined(t)
	shell := exec.CommandContext(ctx, "bash", "/dev/fd/3")
	shell.Dir, shell.Env, shell.ExtraFiles = dir, variables, []*os.File{commands}
	shell.Stdin, shell.Stdout, shell.Stderr = program, program, program
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = person.Close() }) // whoever reads it waits no longer
	t.Cleanup(func() {
		stop()
		_, _ = script.Close(), commands.Close()
		_ = shell.Wait()                                      // its last command may have failed, which is said elsewhere
		_ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) // what is left of it
	})
	return &terminal{t, person, script}
}

var (
	ended = regexp.MustCompile("\x01([0-9]+)\n")     // is shown when a command has ended, with its exit status
	asked = regexp.MustCompile("Type yes [^\n]*: $") // is shown when the terminal waits for a person
)

// run runs a command, and returns what the terminal shows until it has ended, and until there are so many lines.
func (x *terminal) run(command string, lines int) (shown string, status int) {
	x.t.Helper()
	if _, err := fmt.Fprintf(x.script, "%s\nprintf '\\001%%d\\n' $?\n", command); err != nil {
		x.t.Fatal(err)
	}
	var all []byte
	for some := make([]byte, 4096); ; {
		if m := ended.FindSubmatchIndex(all); m != nil {
			if rest := append(bytes.Clone(all[:m[0]]), all[m[1]:]...); bytes.Count(rest, []byte("\n")) >= lines {
				status, err := strconv.Atoi(string(all[m[2]:m[3]]))
				if err != nil {
					x.t.Fatal(err)
				}
				if len(rest) > 0 && rest[len(rest)-1] != '\n' {
					rest = append(rest, '\n') // the next prompt would follow it; pages have a line
				}
				return screen(string(rest)), status
			}
		}
		n, err := x.person.Read(some)
		if err != nil {
			x.t.Fatalf("%s: %v after %q", command, err, all)
		}
		all = append(all, some[:n]...)
		if asked.Match(all) {
			const answer = "yes\n"
			all = append(all, answer...)
			if _, err := x.person.WriteString(answer); err != nil {
				x.t.Fatal(err)
			}
		}
	}
}
