//go:build unix

package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

var allPaths = flag.Bool("paths", false, "give every path to every command, not most of them to a few")

// pathNames are what is given where a path is expected. $TOP is the sandbox, which holds what
// makePaths makes.
var pathNames = []string{
	"", ".", "..", "./file", "file", "dir", "dir/", "file/", "file/x",
	"nosuch", "nosuch/x",
	"$TOP/shop/file", "$TOP/shop-evil/file", "$TOP/../../etc/passwd", "/etc/passwd", "/etc/shadow/x", root,
	"link", "link-dir", "link-dir/file", "link-chain", "link-nowhere",
	"/dev/null", "/dev/full", "/dev/stdin", "/dev/fd/0",
	"/proc/self/fd/0", "/proc/self/mem", "/proc/self/environ",
	"file.", "file ", "file...", " file", "-", "--", "%2e%2e/file", "..%2f..%2fetc%2fpasswd",
	"....//....//etc/passwd", `..\..\file`,
	`\\server\share\file`, `C:\file`, "file:///etc/passwd", "~", "~root", "$HOME", "a\nb", "\x1b[31mred", "\xff\xfe",
	"ſ", strings.Repeat("x", 300), strings.Repeat("x/", 3000),
	"FILE", "hard", "empty", "con", "nul", "COM1", "*", "?", "[", "{}", "|true", ";true",
	"`true`", "$(true)",
}

// dangers are paths that wait, never end or lead away: every command is given them.
var dangers = []string{
	"../../../../../../../../../../etc/passwd", "link-out", "link-loop", "pipe", "link-pipe", "socket", "/dev/zero", "/dev/tty",
	"unreadable", "trap", "escape",
}

// root is left out for commands that go through a directory, or make one in it.
const root = "/"

// pathEntry is a command that takes a path.
type pathEntry struct {
	name     string
	args     []string
	env      string // a variable that takes the path
	rootless bool
}

// pathEntries are the commands that take a path, with PATH in its place.
var pathEntries = []pathEntry{
	{name: "count", args: []string{"count", "--", "PATH"}, rootless: true},
	{name: "import", args: []string{"import", "--", "PATH"}, rootless: true},
	{name: "artifact put", args: []string{"artifact", "save", "--", "PATH"}},
	{name: "memory import", args: []string{"memory", "import", "--", "PATH"}},
	{name: "compact", args: []string{"compact", "--", "PATH"}},
	{name: "changes", args: []string{"changes", "--", "PATH"}},
	{name: "why", args: []string{"why", "--", "PATH"}},
	{name: "--workspace", args: []string{"--workspace=PATH", "daemon", "status"}},
	{name: "CTXLEDGER_WORKSPACE", args: []string{"daemon", "status"}, env: "CTXLEDGER_WORKSPACE=PATH"},
	{name: "CTXLEDGER_STATE", args: []string{"--in-process", "status"}, env: "CTXLEDGER_STATE=PATH", rootless: true},
}

// makePaths makes what the names name.
func makePaths(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	at := func(name string) string { return filepath.Join(s.Workspace, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("the content\n"), 0o644),
		os.WriteFile(at("empty"), nil, 0o644),
		os.WriteFile(at("unreadable"), []byte("x"), 0o000),
		os.Mkdir(at("dir"), 0o755),
		os.WriteFile(at("dir/file"), []byte("x"), 0o644),
		os.Mkdir(s.Workspace+"-evil", 0o755),
		os.WriteFile(s.Workspace+"-evil/file", []byte("x"), 0o644),
		os.Link(at("file"), at("hard")),
		os.Symlink("file", at("link")), os.Symlink("dir", at("link-dir")), os.Symlink("/etc/passwd", at("link-out")),
		os.Symlink("link-loop", at("link-loop")), os.Symlink("link", at("link-chain")),
		os.Symlink("nowhere", at("link-nowhere")),
		syscall.Mkfifo(at("pipe"), 0o644), os.Symlink("pipe", at("link-pipe")),
		// A directory whose index would be waited for, and one whose index leads away.
		os.Mkdir(at("trap"), 0o755), syscall.Mkfifo(at("trap/MEMORY.md"), 0o644),
		os.Mkdir(at("escape"), 0o755), os.Symlink("/etc/passwd", at("escape/MEMORY.md")),
		syscall.Mknod(at("socket"), syscall.S_IFSOCK|0o644, 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryPathIsTakenOrNamed gives every command that takes a path every kind of one: it ends soon, does
// what it says or names what is wrong, and what it refuses it does not store. Without -paths, which make hostile gives, each
// path that is no danger is given to three commands or four: what opens a path is the same in most of them.
func TestEveryPathIsTakenOrNamed(t *testing.T) {
	for k, e := range pathEntries {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			s := newBox(t)
			makePaths(t, s)
			run(t, s, "status")
			api := open(t, s)
			given, refused := 0, 0
			for i, name := range slices.Concat(dangers, pathNames) {
				if e.rootless && name == root || !*allPaths && i >= len(dangers) && (i+k)%3 != 0 {
					continue
				}
				given++
				before := newestEvent(t, api)
				failed, said := e.give(t, s, strings.ReplaceAll(name, "$TOP", s.Top))
				if failed {
					refused++
				}
				after := newestEvent(t, api)
				switch {
				case failed && strings.TrimSpace(said) == "":
					t.Errorf("%q fails without a word", name)
				case strings.Contains(said, "root:x:0"):
					t.Errorf("%q shows content from outside the tree: %s", name, said)
				case strings.Contains(said, "goroutine ") || strings.Contains(said, "internal error"):
					t.Errorf("%q: %s", name, said)
				case failed && after != before:
					t.Errorf("%q was refused, but something was stored: %s", name, said)
				}
			}
			t.Logf("%s: %d of %d paths were refused", e.name, refused, given)
		})
	}
}

// give runs the command with a path. Its standard input is empty.
func (e pathEntry) give(t *testing.T, s *sandbox.Sandbox, path string) (failed bool, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var args []string
	for _, a := range e.args {
		args = append(args, strings.ReplaceAll(a, "PATH", path))
	}
	cmd := s.Command(ctx, args...)
	if e.env != "" {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(e.env, "PATH", path))
	}
	var out bytes.Buffer
	cmd.Stderr = &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Errorf("%q was waited for: %s", path, out.String())
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil &&
		(!ok || exit.ExitCode() != 1 && exit.ExitCode() != 2) {
		t.Errorf("%q: %v: %s", path, err, out.String())
	}
	return err != nil, out.String()
}

// newestEvent returns the number of the newest event of a ledger.
func newestEvent(t *testing.T, api ledger.API) int64 {
	t.Helper()
	info, err := api.Info(deadlined(t), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return info.Event
}
