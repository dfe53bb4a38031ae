package daemon

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/stores"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/workspace"
)

// openBoth opens a workspace with a user ledger behind it.
func openBoth(t *testing.T, ws workspace.Workspace) ledger.API {
	t.Helper()
	api, err := OpenWorkspace(deadlined(t), ws, Options{Env: env.System(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := api.Close(); err != nil {
			t.Error(err)
		}
	})
	return api
}

func saveIn(t *testing.T, api ledger.API, s memory.Scope, name string) memory.Entry {
	t.Helper()
	r := fact(name)
	r.Scope = s
	r.Body = string(s) + " " + name
	e, err := api.SaveMemory(deadlined(t), r)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// names returns what a list request finds, page by page, as scope:name.
func names(t *testing.T, api ledger.API, r ledger.MemoriesRequest) (found, notes []string) {
	t.Helper()
	for {
		page, err := api.Memories(deadlined(t), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			found = append(found, string(e.Scope)+":"+e.Name)
		}
		notes = append(notes, page.Notes...)
		if page.Next == "" {
			return found, notes
		}
		r.After = page.Next
	}
}

func TestMemoriesLiveInTheLedgerOfTheirScope(t *testing.T) {
	ws := workspace.Workspace{Root: t.TempDir(), State: stateDir(t), UserState: stateDir(t)}
	other := workspace.Workspace{Root: t.TempDir(), State: stateDir(t), UserState: ws.UserState}
	api, elsewhere := openBoth(t, ws), openBoth(t, other)
	for _, name := range []string{"a", "c"} {
		saveIn(t, api, memory.Project, name)
		saveIn(t, api, memory.User, name)
	}
	saveIn(t, api, memory.User, "b")
	if e := saveIn(t, api, "", "d"); e.Scope != memory.Project {
		t.Errorf("without a scope: %+v", e)
	}
	both := []string{"project:a", "project:c", "project:d", "user:a", "user:b", "user:c"}
	for limit := range 8 {
		if got, _ := names(t, api, ledger.MemoriesRequest{Limit: limit}); !slices.Equal(got, both) {
			t.Errorf("pages of %d: %v", limit, got)
		}
	}
	if got, _ := names(t, api, ledger.MemoriesRequest{Scope: memory.Project}); !slices.Equal(got, both[:3]) {
		t.Errorf("project: %v", got)
	}
	if got, _ := names(t, elsewhere, ledger.MemoriesRequest{}); !slices.Equal(got, both[3:]) {
		t.Errorf("another workspace: %v", got)
	}
	if got, _ := names(t, api, ledger.MemoriesRequest{Query: "about c", Limit: 3}); len(got) == 0 || len(got) > 3 {
		t.Errorf("recall: %v", got)
	}
}

func TestWithoutAScopeTheProjectComesFirst(t *testing.T) {
	ws := workspace.Workspace{Root: t.TempDir(), State: stateDir(t), UserState: stateDir(t)}
	api := openBoth(t, ws)
	saveIn(t, api, memory.Project, "x")
	saveIn(t, api, memory.User, "x")
	for _, scope := range []memory.Scope{memory.Project, memory.User} {
		if e, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "x"}); err != nil || e.Scope != scope {
			t.Errorf("found %+v, %v", e, err)
		}
		if scope == memory.User { // sent again, a request does not reach further than the first
			_, err := api.DeleteMemory(deadlined(t), ledger.DeleteMemoryRequest{Name: "x"})
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("the user's memory went with the project's: %v", err)
			}
		}
		q := ledger.DeleteMemoryRequest{Name: "x"}
		if scope == memory.User {
			q.Scope = memory.User
		}
		if e, err := api.DeleteMemory(deadlined(t), q); err != nil || e.Scope != scope {
			t.Errorf("deleted %+v, %v", e, err)
		}
	}
	if _, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "x"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("after both: %v", err)
	}
}

// TestForgettingAMemoryStaysInItsScope: without a scope the user's memory, which all workspaces share, is not reached, and
// without a workspace there is none of a project.
func TestForgettingAMemoryStaysInItsScope(t *testing.T) {
	ws := workspace.Workspace{Root: t.TempDir(), State: stateDir(t), UserState: stateDir(t)}
	api := openBoth(t, ws)
	saveIn(t, api, memory.User, "x")
	for _, c := range []struct {
		r    ledger.ForgetRequest
		code fault.Code
	}{
		{ledger.ForgetRequest{Memory: "x"}, fault.NotFound},
		{ledger.ForgetRequest{Memory: "x", Scope: memory.Project, DryRun: true}, fault.NotFound},
		{ledger.ForgetRequest{Memory: "x", Scope: memory.User, DryRun: true}, ""},
		{ledger.ForgetRequest{Memory: "x", Scope: memory.User}, ""},
		{ledger.ForgetRequest{Memory: "x", Scope: memory.User}, fault.NotFound},
	} {
		f, err := api.Forget(deadlined(t), c.r)
		if c.code != "" && !fault.Is(err, c.code) || c.code == "" && (err != nil || f.Total() != 1) {
			t.Errorf("%+v: %+v, %v", c.r, f, err)
		}
	}
	rootless := openBoth(t, workspace.Workspace{State: stateDir(t), UserState: stateDir(t), Why: "it is a test"})
	_, err := rootless.Forget(deadlined(t), ledger.ForgetRequest{Memory: "x", Scope: memory.Project})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "without a workspace") {
		t.Errorf("without a workspace: %v", err)
	}
}

func TestWithoutTheUserLedgerTheProjectWorks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	ws := workspace.Workspace{Root: t.TempDir(), State: stateDir(t), UserState: filepath.Join(file, "user")}
	api := openBoth(t, ws)
	saveIn(t, api, memory.Project, "x")
	got, notes := names(t, api, ledger.MemoriesRequest{})
	if !slices.Equal(got, []string{"project:x"}) || len(notes) != 1 || !strings.Contains(notes[0], "user ledger") {
		t.Errorf("%v, notes %q", got, notes)
	}
	if got, notes := names(t, api, ledger.MemoriesRequest{Query: "x"}); len(got) != 1 || len(notes) != 1 {
		t.Errorf("recall: %v, notes %q", got, notes)
	}
	if _, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "x"}); err != nil {
		t.Error(err)
	}
	_, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "y"})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "user") {
		t.Errorf("a name that is not there: %v", err)
	}
	r := fact("y")
	r.Scope = memory.User
	if _, err := api.SaveMemory(deadlined(t), r); err == nil || fault.Is(err, fault.Internal) {
		t.Errorf("saving for the user: %v", err)
	}
}

// TestOnlyWhatNeedsTheUserLedgerWaitsForIt: while the user ledger cannot be opened, the project answers soon; a request
// for the user ledger alone waits, as on a machine that is too busy to start a daemon at once.
func TestOnlyWhatNeedsTheUserLedgerWaitsForIt(t *testing.T) {
	ws := workspace.Workspace{Root: t.TempDir(), State: stateDir(t), UserState: stateDir(t)}
	api := openBoth(t, ws)
	saveIn(t, api, memory.Project, "x")
	held, err := stores.All().Open("bolt:"+ws.UserState, kv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	saved := make(chan error, 1)
	go func() {
		r := fact("y")
		r.Scope = memory.User
		_, err := api.SaveMemory(deadlined(t), r)
		saved <- err
	}()
	got, notes := names(t, api, ledger.MemoriesRequest{})
	if !slices.Equal(got, []string{"project:x"}) || len(notes) != 1 {
		t.Errorf("%v, notes %q", got, notes)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	if err := <-saved; err != nil {
		t.Errorf("saving for the user did not wait: %v", err)
	}
}

func TestWithoutAWorkspaceThereIsTheUserLedgerAlone(t *testing.T) {
	state := stateDir(t)
	api := openBoth(t,
		workspace.Workspace{State: state, UserState: state, Why: "/ is the root of a file system, not a workspace"})
	if e := saveIn(t, api, "", "x"); e.Scope != memory.User {
		t.Errorf("without a scope: %+v", e)
	}
	r := fact("y")
	r.Scope = memory.Project
	_, err := api.SaveMemory(deadlined(t), r)
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "root of a file system") {
		t.Errorf("a project memory: %v", err)
	}
	if got, notes := names(t, api, ledger.MemoriesRequest{Scope: memory.Project}); len(got) != 0 || len(notes) != 1 {
		t.Errorf("project: %v, notes %q", got, notes)
	}
	got, notes := names(t, api, ledger.MemoriesRequest{})
	if !slices.Equal(got, []string{"user:x"}) || len(notes) != 0 {
		t.Errorf("both: %v, notes %q", got, notes)
	}
	_, err = api.Memory(deadlined(t), ledger.MemoryRequest{Name: "x", Scope: memory.Project})
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("in the project: %v", err)
	}
}

// TestLearningDoesNotKeepTheUserLedger: a process that has its ledgers to itself leaves the user's to others
// after it has learnt, unless it needed it for something else.
func TestLearningDoesNotKeepTheUserLedger(t *testing.T) {
	ws := workspace.Workspace{Root: "/project", State: stateDir(t), UserState: stateDir(t)}
	alone := Options{Env: env.System(), Version: "test", InProcess: true}
	api, err := OpenWorkspace(deadlined(t), ws, alone)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() // the test looks at the user ledger
	learn := func() {
		t.Helper()
		_, err := api.Learn(deadlined(t), ledger.LearnRequest{Host: "h", HostID: "i", Models: []string{"m"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	alone.State = ws.UserState
	free := func() bool {
		other, err := Open(deadlined(t), alone)
		return err == nil && other.Close() == nil
	}
	learn()
	if !free() {
		t.Error("the user ledger is held after learning")
	}
	saveIn(t, api, memory.User, "a")
	learn()
	saveIn(t, api, memory.User, "b")
	if free() {
		t.Error("the user ledger is not held by whom it was opened for")
	}
}
