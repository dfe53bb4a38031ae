//go:build unix

package sharetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

// TestAStateDirectoryThatGoesAway takes the state directory away from under a daemon and its clients. The
// daemon exits and restores nothing; the clients continue with a new ledger at the same path.
func TestAStateDirectoryThatGoesAway(t *testing.T) {
	for _, c := range []struct {
		name string
		away func(t *testing.T, state, elsewhere string)
	}{
		{"deleted", func(t *testing.T, state, _ string) { fine(t, os.RemoveAll(state)) }},
		{"renamed", func(t *testing.T, state, elsewhere string) { fine(t, os.Rename(state, elsewhere)) }},
		{"emptied", func(t *testing.T, state, _ string) {
			entries, err := os.ReadDir(state)
			fine(t, err)
			for _, e := range entries {
				fine(t, os.RemoveAll(filepath.Join(state, e.Name())))
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := programtest.NewBox(t, bin)
			client, err := s.Connect(deadlined(t), "client")
			fine(t, err)
			t.Cleanup(func() { fine(t, client.Close()) })
			remember(t, client, "before")
			pid, state, elsewhere := owner(t, s), stateOf(t, s), filepath.Join(s.Top, "elsewhere")
			c.away(t, state, elsewhere)
			until(t, "the daemon has left", func() bool { return !lives(pid) })
			if entries, err := os.ReadDir(state); err == nil && len(entries) > 0 {
				t.Errorf("%s came back to the old place", entries)
			}
			left := contents(t, elsewhere)
			remember(t, client, "after")
			if now := owner(t, s); now == pid || now == 0 {
				t.Errorf("the owner is %d, it was %d", now, pid)
			}
			if now := contents(t, elsewhere); now != left {
				t.Errorf("what was moved away has changed from\n%s\nto\n%s", left, now)
			}
			if listed := string(run(t, s, "memory", "recall")); !strings.Contains(listed, "after") ||
				strings.Contains(listed, "before") {
				t.Errorf("the new ledger holds %s", listed)
			}
			if c.name == "renamed" { // what was written is whole
				run(t, s, "daemon", "stop")
				fine(t, os.RemoveAll(state))
				fine(t, os.Rename(elsewhere, state))
				if listed := string(run(t, s, "memory", "recall")); !strings.Contains(listed, "before") {
					t.Errorf("moved back, the ledger holds %s", listed)
				}
			}
		})
	}
}

// remember saves a memory over MCP.
func remember(t *testing.T, c *sandbox.Client, name string) {
	t.Helper()
	_, err := c.Call(deadlined(t), "memory", map[string]any{"action": "save", "name": name, "body": "x"}, nil)
	fine(t, err)
}

// contents describes the content of a directory, which may not exist.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	entries, _ := os.ReadDir(dir) // none: nothing
	for _, e := range entries {
		info, err := e.Info()
		fine(t, err)
		fmt.Fprintln(&out, e.Name(), info.Size(), info.ModTime())
	}
	return out.String()
}

func fine(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestCrashingDaemonsAreNotStartedForEver has eight processes of eight clients each, whose daemons die
// at once. Each client starts some, and says what is wrong.
func TestCrashingDaemonsAreNotStartedForEver(t *testing.T) {
	const each = 3 // as many daemons as a client starts, engine/daemon.maxDeaths
	s := programtest.NewBox(t, bin)
	place, err := s.Place()
	fine(t, err)
	dir := t.TempDir()
	starts := filepath.Join(dir, "starts")
	script := "#!/bin/sh\necho start >> " + starts + "\nexit 3\n"
	fine(t, os.WriteFile(filepath.Join(dir, "ctxledger"), []byte(script), 0o700))
	var workers []*worker
	for i := range processes {
		workers = append(workers, startWorker(t, s, assignment{
			State: place.State, Workspace: place.Root, Bin: dir, Process: i, Clients: clients / processes,
			Operations: 1, Keys: 1,
		}))
	}
	for _, w := range workers {
		if err := w.cmd.Wait(); err == nil ||
			strings.Count(w.said.String(), "crashed while starting; last output: exit status 3") != clients/processes {
			t.Errorf("%v: %s", err, w.said)
		}
	}
	raw, err := os.ReadFile(starts)
	fine(t, err)
	// The watcher of each process is a client as well.
	if n, most := bytes.Count(raw, []byte("start")), each*(clients+processes); n == 0 || n > most {
		t.Errorf("%d daemons were started, more than %d", n, most)
	}
}

// TestAServerOutlivesKilledOwners kills the owner under a running ctxmcp, again and again within seconds. Every
// call is answered; the client that saw the old guard close got `corrupt` from then on.
func TestAServerOutlivesKilledOwners(t *testing.T) {
	s := programtest.NewBox(t, bin)
	client, err := s.Connect(deadlined(t), "client")
	fine(t, err)
	t.Cleanup(func() { fine(t, client.Close()) })
	remember(t, client, "before")
	for i := range 5 {
		pid := owner(t, s)
		fine(t, killProcess(pid))
		remember(t, client, fmt.Sprintf("after-%d", i))
		if now := owner(t, s); now == pid {
			t.Fatalf("owner %d outlived kill %d", pid, i)
		}
	}
}

// TestACommandThatKeepsTheLedgerIsNamed meets the real program that was started with --in-process.
func TestACommandThatKeepsTheLedgerIsNamed(t *testing.T) {
	s := programtest.NewBox(t, bin)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	alone, err := s.Connect(ctx, "alone", "--in-process")
	fine(t, err)
	remember(t, alone, "fact")
	_, err = s.Run(ctx, "memory", "recall")
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", alone.PID)) ||
		!strings.Contains(err.Error(), "--in-process") {
		t.Errorf("error %v", err)
	}
	if out := string(run(t, s, "daemon", "status")); !strings.Contains(out, fmt.Sprint(alone.PID)) ||
		!strings.Contains(out, "in process") {
		t.Errorf("status %s", out)
	}
	// Killed, it is no owner any more.
	fine(t, killProcess(alone.PID))
	_ = alone.Close() // it has been killed
	if out := string(run(t, s, "memory", "recall")); !strings.Contains(out, "fact") {
		t.Errorf("memories %s", out)
	}
}
