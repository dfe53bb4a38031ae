package sharetest

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

// The extent of the long tests. make share has more.
var (
	operations = flag.Int("operations", clients*500, "how many `operations` the clients of a history make")
	every      = flag.Duration("every", time.Second, "the longest `time` between two ends of owners; the shortest is a tenth of it")
	cycles     = flag.Int("cycles", 50, "how `often` a daemon is started and stopped")
	seed       = flag.Uint64("seed", 1, "the `seed` of what the clients do")
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
	exit, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sharetest:", err)
		exit = 1
	}
	os.Exit(exit)
}

// buildAndRun builds the programs into a temporary directory for as long as the tests run.
func buildAndRun(m *testing.M) (exit int, err error) {
	if bin, err = os.MkdirTemp("", "ctxl"); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(bin)) }()
	if err := build("", bin); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// build builds the programs of the module in dir.
func build(dir, into string) error {
	cmd := exec.Command("go", "build", "-o", into+string(filepath.Separator), "ctxledger.dev/cmd/...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// newBox returns a sandbox for programs in a directory, which is closed when the test ends.
func newBox(t *testing.T, programs string) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(programs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
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
