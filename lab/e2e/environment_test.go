//go:build unix

package e2e

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
)

// surroundings are the environments that programs are started in, by a shell that makes them. TOP is the
// sandbox. Where a program cannot work it says so: failing matches what it says then, by command.
var surroundings = []struct {
	name    string
	shell   string   // run before the program, which "$@" starts
	unset   []string // variables
	set     []string
	failing map[string]string
	silent  bool // their output is lost
}{
	{name: "as usual", shell: `exec "$@"`},
	{name: "no home", unset: []string{"HOME", "USERPROFILE"}, shell: `exec "$@"`},
	{name: "no home, and no state directory", unset: []string{"HOME", "USERPROFILE", "CTXLEDGER_STATE"},
		shell: `exec "$@"`,
		failing: map[string]string{"import": "CTXLEDGER_STATE", "status": "CTXLEDGER_STATE",
			"memory": "CTXLEDGER_STATE", "ctxmcp": "CTXLEDGER_STATE"}},
	{name: "a home that cannot be written", unset: []string{"CTXLEDGER_STATE"}, set: []string{"HOME=/proc/nowhere"},
		shell: `exec "$@"`,
		failing: map[string]string{"import": "CTXLEDGER_STATE", "status": "CTXLEDGER_STATE",
			"memory": "CTXLEDGER_STATE", "ctxmcp": "CTXLEDGER_STATE"}},
	{name: "a relative XDG_STATE_HOME", unset: []string{"CTXLEDGER_STATE"}, set: []string{"XDG_STATE_HOME=relative"},
		shell: `exec "$@"`},
	{name: "an empty XDG_STATE_HOME", unset: []string{"CTXLEDGER_STATE"}, set: []string{"XDG_STATE_HOME="},
		shell: `exec "$@"`},
	{name: "blanks in XDG_STATE_HOME", unset: []string{"CTXLEDGER_STATE"},
		set: []string{"XDG_STATE_HOME=TOP/with blanks\tand ü"}, shell: `exec "$@"`},
	{name: "a long XDG_STATE_HOME", unset: []string{"CTXLEDGER_STATE"},
		set: []string{"XDG_STATE_HOME=TOP/" + strings.Repeat("long/", 40)}, shell: `exec "$@"`},
	{name: "a file as XDG_STATE_HOME", unset: []string{"CTXLEDGER_STATE"}, set: []string{"XDG_STATE_HOME=TOP/file"},
		shell: `echo x > TOP/file; exec "$@"`,
		failing: map[string]string{"import": "not a directory", "status": "not a directory",
			"memory": "not a directory", "ctxmcp": "not a directory"}},
	{name: "umask 000", shell: `umask 000; exec "$@"`},
	{name: "umask 777", shell: `umask 777; exec "$@"`},
	{name: "a working directory that is gone", shell: `mkdir TOP/gone && cd TOP/gone && rmdir TOP/gone; exec "$@"`},
	{name: "no such TMPDIR", set: []string{"TMPDIR=TOP/nosuch"}, shell: `exec "$@"`},
	{name: "LANG=C", set: []string{"LANG=C", "LC_ALL=C"}, shell: `exec "$@"`},
	{name: "no TERM, no PATH", unset: []string{"TERM"}, set: []string{"PATH="}, shell: `exec "$@"`},
	{name: "an empty environment", unset: []string{"PATH", "TMPDIR", "LANG"}, shell: `exec "$@"`},
	{name: "closed standard error", shell: `exec "$@" 2>&-`},
	{name: "standard input closed", shell: `exec "$@" <&-`, silent: true},
	{name: "standard output closed", shell: `exec "$@" >&-`, silent: true},
	{name: "standard output full", shell: `exec "$@" >/dev/full`,
		failing: map[string]string{"count": "no space", "import": "no space", "status": "no space",
			"memory": "no space", "ctxmcp": "no space"}},
	{name: "64 descriptors", shell: `ulimit -n 64; exec "$@"`},
	{name: "GOMAXPROCS=1", set: []string{"GOMAXPROCS=1"}, shell: `exec "$@"`},
	{name: "little memory", set: []string{"GOMEMLIMIT=64MiB"}, shell: `exec "$@"`},
}

// small is a session that is read in no time: what is recorded does not matter here.
const small = "../../testdata/sessions/compacted.jsonl"

// calls are what an agent's host says to the server.
const calls = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory","arguments":{"action":"save","name":"tool","body":"b","scope":"user"}}}
`

// TestOddSurroundings runs the programs in environments that hosts and people make by mistake. They work,
// or name what is missing; whatever they write is private.
func TestOddSurroundings(t *testing.T) {
	for _, c := range surroundings {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newBox(t)
			env := s.Env()
			for _, name := range c.unset {
				env = without(env, name)
			}
			for _, v := range c.set {
				env = append(env, strings.ReplaceAll(v, "TOP", s.Top))
			}
			shell := strings.ReplaceAll(c.shell, "TOP", s.Top)
			for _, p := range []struct {
				name, in, want string
				args           []string
			}{
				{"count", "", "compacted.jsonl", []string{"ctxledger", "count", absolute(t, small)}},
				{"import", "", "new records",
					[]string{"ctxledger", "--workspace", s.Workspace, "import", absolute(t, small)}},
				{"status", "", "workspace", []string{"ctxledger", "--workspace", s.Workspace, "status"}},
				{"memory", "", "saved", []string{"ctxledger", "--workspace", s.Workspace, "memory", "save", "fact",
					"--body", "b"}},
				{"ctxmcp", calls, "in scope user", []string{"ctxmcp", "--workspace", s.Workspace}},
				// The server may have left a daemon starting: a command that needs one waits for it.
				{"status", "", "workspace", []string{"ctxledger", "--workspace", s.Workspace, "status"}},
				{"stop", "", "", []string{"ctxledger", "--workspace", s.Workspace, "daemon", "stop"}},
			} {
				out, said, err := shelled(t, s, env, shell, p.in, p.args)
				failing, fails := c.failing[p.name]
				switch {
				case p.name == "stop": // for those ledgers that Close does not know
				case fails:
					if !regexp.MustCompile(failing).MatchString(out + said) {
						t.Errorf("%s: %v, says %q and %q, not what is wrong", p.name, err, out, said)
					}
				case err != nil || !strings.Contains(out, p.want) && !c.silent:
					t.Errorf("%s: %v, %q, %q", p.name, err, out, said)
				}
				if strings.Contains(said, "goroutine ") || strings.Contains(said, "panic") {
					t.Errorf("%s: %s", p.name, said)
				}
			}
			private(t, s)
		})
	}
}

// without returns an environment without a variable.
func without(env []string, name string) (out []string) {
	for _, v := range env {
		if !strings.HasPrefix(v, name+"=") {
			out = append(out, v)
		}
	}
	return out
}

// shelled runs a program by a shell, in the workspace.
func shelled(t *testing.T, s *sandbox.Sandbox, env []string, shell, in string, args []string) (
	out, said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	args[0] = filepath.Join(s.Bin, args[0])
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", shell, "sh"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.Workspace, env, strings.NewReader(in)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		t.Errorf("%v was waited for: %s", args, stderr.String())
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < 0 {
		t.Errorf("%v: %v", args, err)
	}
	return stdout.String(), stderr.String(), err
}

// private wants all that programs wrote in a sandbox to be the user's alone.
func private(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	err := filepath.WalkDir(s.Top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a daemon has just left
		}
		if err == nil && strings.Contains(path, "/state/") && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
