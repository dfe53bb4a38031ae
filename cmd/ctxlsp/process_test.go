package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/scriptededitor"
	"ctxledger.dev/workspace"
)

// binary is the built program.
var binary string

func TestMain(m *testing.M) { os.Exit(build(m)) }

// build builds the program and runs the tests on it.
func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ctxlsp")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	binary = filepath.Join(dir, "ctxlsp")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// patience is how long a test waits for what should take milliseconds.
const patience = 60 * time.Second

// place is where programs run: a workspace, a home directory and a state directory of their own.
type place struct{ root, home, state string }

func newPlace(t *testing.T) place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{root: filepath.Join(root, "project"), home: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	if err := os.Mkdir(p.root, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// workspace returns what the programs find.
func (p place) workspace(t *testing.T) workspace.Workspace {
	t.Helper()
	e := env.System()
	e.Dir, e.Home = p.root, p.home
	e.Lookup = func(name string) string { return map[string]string{"CTXLEDGER_STATE": p.state}[name] }
	ws, err := workspace.Find(e, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// stopDaemons ends the daemons of the place when the test ends.
func (p place) stopDaemons(t *testing.T) {
	t.Helper()
	ws := p.workspace(t)
	t.Cleanup(func() {
		for _, state := range []string{ws.State, ws.UserState} {
			if err := daemon.Stop(context.Background(), state); err != nil {
				t.Error(err)
			}
		}
	})
}

// uri returns the address of a file of the place.
func (p place) uri(name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(p.root, name))
}

// server is a running server with its editor.
type server struct {
	*scriptededitor.Editor
	cmd    *exec.Cmd
	stderr *lastWords
	ctx    context.Context
}

// lastWords keeps the end of what a program says on its standard error. It is read when that has ended.
type lastWords struct{ kept []byte }

func (l *lastWords) Write(p []byte) (int, error) {
	const most = 1 << 20
	l.kept = append(l.kept, p...)
	l.kept = l.kept[max(0, len(l.kept)-most):]
	return len(p), nil
}

// start starts the program in the place.
func (p place) start(t *testing.T, variables ...string) *server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	s := &server{cmd: exec.CommandContext(ctx, binary, "--stdio"), stderr: &lastWords{}, ctx: ctx}
	s.cmd.Dir, s.cmd.Stderr = p.root, s.stderr
	s.cmd.Env = append([]string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "CTXLEDGER_STATE=" + p.state}, variables...)
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Editor = scriptededitor.New(in, out)
	return s
}

// everything are the settings that show all there is.
var everything = map[string]any{"lens": "always", "hover": "always", "hints": 1, "symbols": true, "folding": true, "countSelection": true, "live": false}

// capable are the capabilities of a client that can all there is.
var capable = map[string]any{
	"textDocument": map[string]any{
		"hover":          map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
		"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true},
		"codeAction":     map[string]any{"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"source"}}}},
	},
	"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}, "inlayHint": map[string]any{"refreshSupport": true}},
	"window":    map[string]any{"workDoneProgress": true},
}

// initialize begins a session that shows everything.
func (s *server) initialize(t *testing.T) {
	t.Helper()
	if _, err := s.Initialize(s.ctx, capable, everything, nil); err != nil {
		t.Fatal(err)
	}
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask calls a method about a document.
func ask[R any](t *testing.T, s *server, method, uri string, more map[string]any) (result R) {
	t.Helper()
	if err := s.Call(s.ctx, method, scriptededitor.Document(uri, more), &result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return result
}

// leave ends the session, and wants the program to end well.
func (s *server) leave(t *testing.T) {
	t.Helper()
	must(t, s.Leave(s.ctx))
	<-s.Gone()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v; standard error: %s", err, s.stderr.kept)
	}
}

// lens is a code lens.
type lens struct {
	Command struct{ Title string }
}

// cost returns the title of the lens of a document.
func (s *server) cost(t *testing.T, uri string) string {
	t.Helper()
	list := ask[[]lens](t, s, "textDocument/codeLens", uri, nil)
	if len(list) != 1 {
		t.Fatalf("%d lenses", len(list))
	}
	return list[0].Command.Title
}
