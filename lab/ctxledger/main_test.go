package ctxledger

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

// TestMain makes the program, and one that plays a summarizer, available to the scripts.
func TestMain(m *testing.M) {
	testscript.Main(built{m}, map[string]func(){"summarizer": summarizer})
}

// built is the tests with the program on the path: under the race detector when they are.
type built struct{ tests *testing.M }

// Run implements testscript.TestingM.
func (b built) Run() int {
	dir, err := os.MkdirTemp("", "ctxledger")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "ctxledger.dev/cmd/ctxledger")...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return b.tests.Run()
}

// TestScripts runs the program as a user does, daemons included, each script in a directory of
// its own: the workspace $WORK/ws, with $HOME and the ledgers beside it.
func TestScripts(t *testing.T) {
	shop, err := filepath.Abs("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", Cmds: commands, UpdateScripts: *update,
		RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Values[theTest] = t
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			e.Setenv("TZ", "UTC")
			e.Setenv("SHOP", shop)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else every process under the race detector lingers for a second
			e.Defer(func() { stopDaemons(t, e.WorkDir) })
			for _, dir := range []string{"home", "ws/.git"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o755); err != nil {
					return err
				}
			}
			e.Cd = filepath.Join(e.WorkDir, "ws")
			return nil
		},
	})
}
