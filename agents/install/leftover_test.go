//go:build unix

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ctxledger.dev/agents/registry"
)

// interrupted is the environment variable that says where TestInterrupted is to write what, and which signal is to come when:
// DIRECTORY,SIGNAL,RECEIPTS.
const interrupted = "CTXLEDGER_TEST_INTERRUPTED"

// TestInterrupted is a process that gets a signal while it connects an agent.
func TestInterrupted(t *testing.T) {
	parts := strings.Split(os.Getenv(interrupted), ",")
	if len(parts) != 3 {
		t.Skip("it is a part of TestAnInterruptionLeavesAllOrNothing")
	}
	sig, err := strconv.Atoi(parts[1])
	must(t, err)
	at, err := strconv.Atoi(parts[2])
	must(t, err)
	m := machineAt(parts[0])
	n := 0
	m.kept = func() {
		if n++; n == at {
			must(t, syscall.Kill(os.Getpid(), syscall.Signal(sig)))
		}
	}
	h := registry.Of("claude-code")
	p, err := m.Connect(h, registry.User, false)
	must(t, err)
	must(t, m.Write(p))
}

// temps returns the temporary files below a directory.
func temps(t *testing.T, top string) (out []string) {
	t.Helper()
	must(t, filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			out = append(out, path)
		}
		return err
	}))
	return out
}

// TestAnInterruptionLeavesAllOrNothing: a signal that asks a process to end, when the first or the second of two receipts is
// written, does not keep it from writing the whole plan; on a busy machine the process gets it when that is done, and ends by
// it. A killed one leaves copies of the settings: the next plan, of whichever kind, removes them.
func TestAnInterruptionLeavesAllOrNothing(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	h := registry.Of("claude-code")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		for _, at := range []int{1, 2} {
			for _, then := range []string{"connected", "disconnected"} {
				what := fmt.Sprintf("%v at receipt %d, then %s", sig, at, then)
				top, m := aCase{files: map[string]string{"home/.claude.json": "{\"key\": \"secret\"}\n",
					"home/.claude/settings.json": "{}\n"}}.place(t)
				before := snapshot(t, top)
				child := exec.Command(self, "-test.run=^TestInterrupted$")
				child.Env = append(os.Environ(), fmt.Sprintf("%s=%s,%d,%d", interrupted, top, sig, at))
				out, err := child.CombinedOutput()
				var ended *exec.ExitError
				bySignal := errors.As(err, &ended) && ended.Sys().(syscall.WaitStatus).Signal() == sig
				switch killed := sig == syscall.SIGKILL; {
				case !killed && (err != nil && !bySignal || len(temps(t, top)) > 0):
					t.Fatalf("%s: %v: %s: %v", what, err, out, temps(t, top))
				case killed && (!bySignal || len(temps(t, top)) == 0):
					t.Fatalf("%s: %v: %s", what, err, out)
				case killed: // while it writes a receipt, too
					name := fmt.Sprintf(".x.json.%016x1.tmp", child.Process.Pid)
					must(t, os.WriteFile(filepath.Join(m.State, receipts, name), nil, 0o600))
				default:
					for _, s := range m.Check(h, registry.User) {
						if s.State != Connected {
							t.Errorf("%s: %+v", what, s)
						}
					}
				}
				p, err := m.Disconnect(h, registry.User)
				if then == "connected" {
					p, err = m.Connect(h, registry.User, false)
				}
				must(t, err)
				must(t, m.Write(p))
				if left := temps(t, top); len(left) > 0 {
					t.Errorf("%s: left %v", what, left)
				}
				if then == "disconnected" {
					same(t, what, snapshot(t, top), before)
				}
			}
		}
	}
}
