package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

// TestMain makes the program available to the scripts under the names by which it is started: by
// people, and by itself as the daemon.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ctxledger": main, "ctxledger-daemon": main, "summarizer": summarizer})
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
