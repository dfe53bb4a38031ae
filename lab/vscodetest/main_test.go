//go:build linux

package vscodetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/lab/sandbox"
)

// installed is the environment variable that says where `make editors` has put VS Code. make test sets it; without
// it, the tests are left out.
const installed = "CTXLEDGER_VSCODE"

// patience is how long a test waits for what should take seconds.
const patience = 3 * time.Minute

var screenshots = flag.String("screenshots", "", "take screenshots in every theme into this `directory`")

// built is what TestMain has built: the programs, and inside of the extension's folder the extension and its suites.
var built struct{ bin, extension string }

func TestMain(m *testing.M) {
	flag.Parse()
	exit, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vscodetest:", err)
		exit = 1
	}
	os.Exit(exit)
}

// buildAndRun builds what is tested, and keeps the programs for as long as the tests run.
func buildAndRun(m *testing.M) (exit int, err error) {
	if os.Getenv(installed) == "" {
		return m.Run(), nil // which leaves out every test
	}
	if built.bin, err = os.MkdirTemp("", "ctxl"); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(built.bin)) }()
	if built.extension, err = filepath.Abs("../../vscode-extension"); err != nil {
		return 1, err
	}
	for _, args := range [][]string{
		{"go", "build", "-o", built.bin + string(filepath.Separator), "ctxledger.dev/cmd/..."},
		{"node", "scripts/bundle.mjs"},
		{"node", "scripts/bundle.mjs", "suite"},
	} {
		build := exec.Command(args[0], args[1:]...)
		if args[0] == "node" {
			build.Dir = built.extension
		}
		if out, err := build.CombinedOutput(); err != nil {
			return 1, fmt.Errorf("%s: %w: %s", build, err, out)
		}
	}
	return m.Run(), nil
}

// newBox returns a sandbox that is closed when the test ends.
func newBox(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(built.bin)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience) // that of the test has ended by then
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
