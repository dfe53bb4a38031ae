package ctxledger

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ctxledger.dev/lab/programtest"
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
	return programtest.Run(b.tests, func(dir string) error {
		// One asks the other for its tools, and registers the third.
		args := []string{"ctxledger.dev/cmd/ctxledger", "ctxledger.dev/cmd/ctxmcp", "ctxledger.dev/cmd/ctxhook"}
		race := debug.BuildSetting{Key: "-race", Value: "true"}
		if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, race) {
			args = append([]string{"-race"}, args...)
		}
		path := dir + string(filepath.ListSeparator) + os.Getenv("PATH")
		return errors.Join(programtest.Build(dir, args...), os.Setenv("PATH", path))
	})
}

// TestScripts runs the program as a user does, daemons included, each script in a directory of
// its own: the workspace $WORK/ws, with $HOME and the ledgers next to it.
func TestScripts(t *testing.T) {
	shop, err := filepath.Abs("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := filepath.Abs("../../agents/testdata/kinds.jsonl")
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
			e.Setenv("NOW", time.Now().UTC().Format(time.RFC3339)) // for a session that somebody works in
			e.Setenv("SHOP", shop)
			e.Setenv("KINDS", kinds)
			e.Setenv("CTXLEDGER_HOOK_MS", "20000")  // a hook that is late says nothing: on a busy machine any may be
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
