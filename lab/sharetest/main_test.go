package sharetest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

// The extent of the long tests. make share has more.
var (
	operations = flag.Int("operations", clients*60, "how many `operations` the clients of a history make")
	every      = flag.Duration("every", 500*time.Millisecond,
		"the longest `time` between two ends of owners; the shortest is a tenth of it")
	cycles = flag.Int("cycles", 10, "how `often` a daemon is started and stopped")
	seed   = flag.Uint64("seed", 1, "the `seed` of what the clients do")
)

// patience is how long a test waits for what must happen.
const patience = 60 * time.Second

// bin is the directory of the built programs; TestMain sets it.
var bin string

// TestMain lets the test binary become the worker processes that the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == workerArgument {
		if err := work(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(programtest.Run(m, func(dir string) error {
		bin = dir
		return programtest.Build(bin, programtest.Programs)
	}))
}

// deadlined returns a context for what one test waits for.
func deadlined(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// run runs a command of ctxledger that must succeed.
func run(t *testing.T, s *sandbox.Sandbox, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := s.Run(ctx, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stateOf returns the state directory of a sandbox's workspace.
func stateOf(t *testing.T, s *sandbox.Sandbox) string {
	t.Helper()
	place, err := s.Place()
	if err != nil {
		t.Fatal(err)
	}
	return place.State
}

// owner returns the process id of the daemon of the workspace, 0 when none runs.
func owner(t *testing.T, s *sandbox.Sandbox) int {
	t.Helper()
	pid, err := s.Owner(deadlined(t))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not in time: %s", what)
		}
	}
}
