package ctxlsp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

// binary is the built program.
var binary string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error {
		binary = filepath.Join(dir, "ctxlsp")
		return programtest.Build(dir, "ctxledger.dev/cmd/ctxlsp")
	}))
}

// place is where servers run.
type place struct{ programtest.Place }

func newPlace(t *testing.T) place { return place{programtest.NewPlace(t)} }

// uri returns the address of a file of the place.
func (p place) uri(name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(p.Root, name))
}

// server is a running server with its editor.
type server struct {
	*scriptededitor.Editor
	cmd    *exec.Cmd
	stderr *sandbox.Tail
	ctx    context.Context
}

// start starts the program in the place.
func (p place) start(t *testing.T, variables ...string) *server {
	t.Helper()
	cmd := p.Command(t, binary, "--stdio")
	cmd.Env = append(cmd.Env, variables...)
	return serve(t, cmd)
}

// serve starts a server that is ready to be started.
func serve(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), programtest.Patience)
	t.Cleanup(cancel)
	s := &server{cmd: cmd, stderr: &sandbox.Tail{}, ctx: ctx}
	cmd.Stderr = s.stderr
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
var everything = map[string]any{"lens": "always", "hover": "always", "hints": 1, "symbols": true, "folding": true,
	"countSelection": true, "live": false}

// capable are the capabilities of a client that can all there is.
var capable = map[string]any{
	"textDocument": map[string]any{
		"hover":          map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
		"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true},
		"codeAction": map[string]any{
			"codeActionLiteralSupport": map[string]any{
				"codeActionKind": map[string]any{"valueSet": []string{"source"}}}},
	},
	"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true},
		"inlayHint": map[string]any{"refreshSupport": true}},
	"window": map[string]any{"workDoneProgress": true},
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
		t.Errorf("%v; standard error: %s", err, s.stderr)
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
	text, more, _ := strings.Cut(list[0].Command.Title, " in file")
	if strings.HasSuffix(more, "show more") {
		text += more
	}
	return text
}
