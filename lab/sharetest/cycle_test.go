//go:build unix

package sharetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

// endings are the ways in which a daemon ends, in turn. clean says that it leaves nothing behind; after
// the others, the next owner does.
var endings = []struct {
	name  string
	clean bool
	end   func(t *testing.T, s *sandbox.Sandbox, pid int)
}{
	{"asked to leave", true, func(t *testing.T, s *sandbox.Sandbox, _ int) { run(t, s, "daemon", "stop") }},
	{"SIGTERM", true, func(t *testing.T, _ *sandbox.Sandbox, pid int) { signal(t, pid, syscall.SIGTERM) }},
	{"SIGHUP", true, func(t *testing.T, _ *sandbox.Sandbox, pid int) { signal(t, pid, syscall.SIGHUP) }},
	{"SIGKILL", false, func(t *testing.T, _ *sandbox.Sandbox, pid int) { signal(t, pid, syscall.SIGKILL) }},
	{"SIGINT", true, func(t *testing.T, _ *sandbox.Sandbox, pid int) { signal(t, pid, syscall.SIGINT) }},
}

// TestStartAndStop starts a daemon and ends it, over and over, two workspaces side by side. Each time its
// process is gone soon, the ledger is free, and no socket, owner.json or half file is left.
func TestStartAndStop(t *testing.T) {
	for _, name := range []string{"one", "another"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := programtest.NewBox(t, bin)
			began, slowest := time.Now(), time.Duration(0)
			for i := range *cycles {
				how := endings[i%len(endings)]
				what := fmt.Sprintf("cycle %d, %s", i, how.name)
				run(t, s, "memory", "save", "cycle", "--body", what)
				pid := owner(t, s)
				if pid == 0 {
					t.Fatalf("%s: no daemon runs", what)
				}
				ending := time.Now()
				how.end(t, s, pid)
				until(t, what+": the process has ended", func() bool { return !lives(pid) })
				slowest = max(slowest, time.Since(ending))
				if how.clean {
					nothingIsLeft(t, what, stateOf(t, s))
				}
			}
			run(t, s, "daemon", "stop")
			nothingIsLeft(t, "at the end", stateOf(t, s))
			t.Logf("%d daemons started and ended in %v, the slowest end took %v", *cycles,
				time.Since(began).Round(time.Millisecond), slowest)
		})
	}
}

// signal sends a signal to a daemon.
func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

// lives reports whether a process runs. A zombie, which has ended without a wait for it, does not.
func lives(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) || !procfs()
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// procfs reports whether this system shows its processes as files.
func procfs() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// kept is what may lie in a state directory without an owner.
var kept = map[string]bool{"ledger.db": true, "blobs": true, "log": true, "exports": true, "owner.spare": true,
	"reserve": true, "place.json": true}

// nothingIsLeft wants a state directory to be as an owner leaves it: no trace of the owner, no half file,
// no lock, no process that works for it.
func nothingIsLeft(t *testing.T, what, state string) {
	t.Helper()
	entries, err := os.ReadDir(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !kept[e.Name()] {
			t.Errorf("%s: %s is left", what, e.Name())
		}
	}
	err = filepath.WalkDir(state, func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); strings.HasSuffix(name, ".new") || strings.Contains(name, ".tmp") {
			t.Errorf("%s: half a file is left: %s", what, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := os.Open(filepath.Join(state, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close() // with the lock
	if err := syscall.Flock(int(ledger.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Errorf("%s: the ledger is locked: %v", what, err)
	}
	for _, pid := range processesOf(t, state) {
		t.Errorf("%s: process %d is left", what, pid)
	}
}

// processesOf returns the processes that have a state directory among their arguments.
func processesOf(t *testing.T, state string) (pids []int) {
	t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range commands {
		line, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil &&
			strings.Contains(string(line), state) {
			pids = append(pids, pid)
		}
	}
	return pids
}
