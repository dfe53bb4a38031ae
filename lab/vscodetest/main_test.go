//go:build linux

package vscodetest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

// vscode is the environment variable that says where `make vscode` has put VS Code; without it, the tests are left out.
const vscode = "CTXLEDGER_VSCODE"

// patience is how long a test waits for what should take seconds.
const patience = 3 * time.Minute

// scriptPatience is how long a whole script of the page may take. On two quiet cores the longest takes a minute; on a
// slow machine that ran other tests at the same time it took over three.
const scriptPatience = 8 * time.Minute

var screenshots = flag.String("screenshots", "", "take screenshots in every theme into this `directory`")

// built is what TestMain has built: the programs, and inside of the extension's folder the extension and its suites.
var built struct{ bin, extension string }

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, build))
}

// build builds what is tested.
func build(dir string) (err error) {
	if os.Getenv(vscode) == "" {
		return nil // every test is left out
	}
	built.bin = dir
	if built.extension, err = filepath.Abs("../../vscode-extension"); err != nil {
		return err
	}
	for _, args := range [][]string{{"scripts/bundle.mjs"}, {"scripts/bundle.mjs", "suite"}, {"scripts/readme.mjs"}} {
		bundle := exec.Command("node", args...)
		bundle.Dir = built.extension
		if out, err := bundle.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", bundle, err, out)
		}
	}
	return programtest.Build(built.bin, programtest.Programs)
}

// newBox returns a sandbox that is closed when the test ends.
func newBox(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	return programtest.NewBox(t, built.bin)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
