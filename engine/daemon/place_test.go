package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// repository makes a repository with one commit in a directory, in the place of any other.
func repository(t *testing.T, dir, message string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on the path")
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "-c", "user.name=a", "-c",
		"user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", message}} {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// TestADaemonLeavesALedgerOfAnotherRepository: what it recorded stays, nothing is added, and nobody gets the ledger until a
// person has decided.
func TestADaemonLeavesALedgerOfAnotherRepository(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	repository(t, o.Workspace, "the first")
	api := open(t, o)
	save(t, api, "of the first")
	until(t, "its place is recorded", func() bool { return workspace.ReadPlace(state).Commit != "" })
	repository(t, o.Workspace, "the second")
	until(t, "it has left", func() bool { st, err := Status(deadlined(t), state); return err == nil && !st.Running })
	if _, err := api.SaveMemory(deadlined(t), fact("of the second")); !fault.Is(err, fault.Denied) {
		t.Errorf("a client that was connected: %v", err)
	}
	for _, alone := range []bool{false, true} {
		o.InProcess = alone
		if _, err := Open(deadlined(t), o); !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" {
			t.Errorf("in process: %v: %v, hint %q", alone, err, fault.HintOf(err))
		}
	}
	o.InProcess = false
	if aside, err := Adopt(deadlined(t), o, state); err != nil || aside != "" {
		t.Fatal(aside, err)
	}
	save(t, api, "of both")
	if _, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "of the first"}); err != nil {
		t.Error(err)
	}
}

// TestALedgerInAProcessRecordsItsPlaceToo: where no daemon runs, another repository at its path would get it.
func TestALedgerInAProcessRecordsItsPlaceToo(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	o.InProcess = true
	repository(t, o.Workspace, "the first")
	api := open(t, o)
	save(t, api, "of the first")
	if err := api.Close(); err != nil {
		t.Fatal(err)
	}
	if p := workspace.ReadPlace(state); p.Commit == "" || p.Memories != 1 || p.Root != o.Workspace {
		t.Errorf("its place is %+v", p)
	}
	repository(t, o.Workspace, "the second")
	if _, err := Open(deadlined(t), o); !fault.Is(err, fault.Denied) {
		t.Errorf("the other repository gets it: %v", err)
	}
}

// TestAdoptionLosesNothingWhereverItEnds: after any number of its steps, which are the changes of the disk that a kill can
// come between, each memory is in one ledger that opens, a damaged ledger belongs to one that is there, and adopting again
// finishes it.
func TestAdoptionLosesNothingWhereverItEnds(t *testing.T) {
	for steps := range 6 {
		base := filepath.Dir(stateDir(t))
		root, from, state := filepath.Join(base, "root"), filepath.Join(base, "from"), filepath.Join(base, "state")
		o := Options{State: state, Workspace: root, Env: env.System()}
		for _, dir := range []string{state, from} {
			keepFact(t, dir, filepath.Base(dir))
			if err := os.Mkdir(dir+".damaged-20260101-000000", 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir+".damaged-20260101-000000", "ledger.db"), filepath.Base(dir))
		}
		aside := state + ".aside-20260101-000000"
		todo := adoption(o, from, aside)
		for _, step := range todo[:min(steps, len(todo))] {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		if steps < 4 {
			if _, err := Adopt(deadlined(t), o, from); err != nil {
				t.Errorf("again after %d steps: %v", steps, err)
			}
		}
		if got := facts(t, state); len(got) != 1 || got[0] != "from" {
			t.Errorf("after %d steps the ledger has %q", steps, got)
		}
		kept, _ := filepath.Glob(state + ".aside-*")
		ledgers := 0
		for _, dir := range kept {
			if _, err := os.Stat(filepath.Join(dir, "blobs")); err == nil {
				if ledgers++; len(facts(t, dir)) != 1 || facts(t, dir)[0] != "state" {
					t.Errorf("after %d steps the one aside has %q", steps, facts(t, dir))
				}
			}
		}
		damaged, _ := filepath.Glob(filepath.Join(base, "*.damaged-*"))
		if _, err := os.Stat(from); ledgers != 1 || len(damaged) != 2 || !os.IsNotExist(err) {
			t.Errorf("after %d steps: %d aside, %q", steps, ledgers, damaged)
		}
	}
}

// TestAPlaceWithoutALedgerIsGivenUp: it has what hooks logged, and where replays were.
func TestAPlaceWithoutALedgerIsGivenUp(t *testing.T) {
	state := stateDir(t)
	for _, name := range []string{"log", temporary.Name} {
		if err := os.MkdirAll(filepath.Join(state, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := setAside(state, state+".aside-20260101-000000"); err != nil {
		t.Fatal(err)
	}
	if all, _ := filepath.Glob(state + "*"); len(all) > 0 {
		t.Errorf("%q", all)
	}
}

// keepFact makes a ledger with one memory.
func keepFact(t *testing.T, state, name string) {
	t.Helper()
	l, err := engine.Open(t.Context(), engine.Options{State: state, Workspace: state, Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	save(t, l, name)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// facts returns the names of the memories in a ledger.
func facts(t *testing.T, state string) (names []string) {
	t.Helper()
	l, err := engine.Open(t.Context(), engine.Options{State: state, Workspace: state, Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // only read
	page, err := l.Memories(t.Context(), ledger.MemoriesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries {
		names = append(names, e.Name)
	}
	return names
}
