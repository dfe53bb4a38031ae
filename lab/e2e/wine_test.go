package e2e

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/lab/installed"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

// wine runs programs for Windows, in a directory below its root.
type wine struct {
	t        *testing.T
	dir, own string // what make has installed; where the programs are
}

// newWine builds two programs for Windows. What has been started ends with the test.
func newWine(t *testing.T) *wine {
	t.Helper()
	dir := installed.Directory(t, "CTXLEDGER_WINE", "windows")
	own, err := os.MkdirTemp(filepath.Join(dir, "root", "programs"), "")
	if err != nil {
		t.Fatal(err)
	}
	w := &wine{t, dir, own}
	t.Cleanup(func() {
		_ = w.command("wineserver", "--kill").Run() // fails if it has ended
		if err := os.RemoveAll(own); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("GOOS", "windows")
	t.Setenv("GOARCH", "amd64")
	if err := programtest.BuildIn("", own, "ctxledger.dev/cmd/ctxledger", "ctxledger.dev/cmd/ctxmcp"); err != nil {
		t.Fatal(err)
	}
	// The server and services of wine keep the standard streams of who starts them.
	if err := w.command("wine", "ctxledger.exe", "--version").Run(); err != nil {
		t.Fatal(err)
	}
	return w
}

// command returns a program of wine, ready to be started.
func (w *wine) command(name string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(deadlined(w.t), filepath.Join(w.dir, name), arguments...)
	place := "/programs/" + filepath.Base(w.own)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "WINE_DIR=" + place, `CTXLEDGER_STATE=Z:` + place + "/state"}
	return cmd
}

// run runs ctxledger, and wants its answer to have some words.
func (w *wine) run(arguments []string, words ...string) {
	w.t.Helper()
	// A file: the daemons and wine's server keep a pipe open.
	said, err := os.Create(filepath.Join(w.t.TempDir(), "said"))
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := w.command("wine", slices.Concat([]string{"ctxledger.exe"}, arguments)...)
	cmd.Stdout, cmd.Stderr = said, said
	err = cmp.Or(cmd.Run(), said.Close())
	out := string(read(w.t, said.Name()))
	if err != nil {
		w.t.Errorf("%q: %v: %s", arguments, err, out)
	}
	for _, word := range words {
		if !strings.Contains(out, word) {
			w.t.Errorf("%q: no %q in %s", arguments, word, out)
		}
	}
}

// TestRealProgramsForWindowsStart: under wine they count, audit and import the recorded session, a daemon answers, and an MCP
// client saves and recalls a fact.
func TestRealProgramsForWindowsStart(t *testing.T) {
	w := newWine(t)
	write(t, filepath.Join(w.own, "shop.jsonl"), string(read(t, recording)))
	w.run([]string{"--version"}, "ctxledger ")
	w.run([]string{"count", "shop.jsonl"}, "517,055  1,534,588  shop.jsonl")
	w.run([]string{"audit", "shop.jsonl"}, "1 session, 166 requests, 9.40 M tokens")
	w.run([]string{"--workspace", ".", "import", "shop.jsonl"}, "699 new records", "ab03de2c")
	w.run([]string{"--workspace", ".", "status"}, "≈57,758 tokens of the conversation", "owner      daemon")
	w.run([]string{"--workspace", ".", "daemon", "stop"}, "has stopped")
	for _, more := range [][]string{nil, {"--in-process"}} {
		server := w.command("wine", append([]string{"ctxmcp.exe", "--workspace", "."}, more...)...)
		server.WaitDelay = time.Second // for its standard error, which a daemon keeps open
		c, err := sandbox.Dial(deadlined(t), "client", server)
		if err != nil {
			t.Fatal(err)
		}
		if tools, _, err := c.Names(deadlined(t)); err != nil || !slices.Contains(tools, "memory") {
			t.Errorf("%v: tools %q, %v", more, tools, err)
		}
		name := strings.Join(append([]string{"deploys"}, more...), "")
		says(t, c, "memory", map[string]any{"action": "save", "name": name, "body": "on Tuesdays"}, "saved")
		says(t, c, "memory", map[string]any{"action": "recall", "query": name}, "on Tuesdays")
		if err := c.Close(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			t.Error(err)
		}
		w.run([]string{"--workspace", ".", "memory", "get", name}, "on Tuesdays")
		w.run([]string{"--workspace", ".", "daemon", "stop"})
	}
}
