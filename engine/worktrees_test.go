package engine_test

import (
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// TestWhatIsRecordedOfAFileNamesItsTree: a ledger covers all worktrees of a repository, and a path is of several files.
func TestWhatIsRecordedOfAFileNamesItsTree(t *testing.T) {
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/w", Env: e,
		Trees: func() []string { return []string{"/w", "/fix"} }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a := &agent{t: t, l: l, name: "a", dir: "/fix"}
	a.prompt(at(0))
	a.call(at(1), "r", "Read", `{"file_path":"/fix/a.go"}`)
	a.result(at(2), "r", false)
	a.call(at(3), "e", "Edit", `{"file_path":"/fix/a.go"}`)
	a.result(at(4), "e", false)
	for _, path := range []string{"a.go", "/fix/a.go"} {
		h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: path})
		if err != nil || len(h.Reads) != 1 || len(h.Intents) != 1 || len(h.Changes) != 1 ||
			h.Trees[a.session] != "/fix" || h.Changes[0].Tree != "/fix" {
			t.Errorf("%s: %+v, %v", path, h, err)
		}
		list, err := l.Changes(t.Context(), ledger.ChangesRequest{Path: path})
		if err != nil || list.Total != 1 || list.Outside {
			t.Errorf("changes of %s: %+v, %v", path, list, err)
		}
	}
	list, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: a.session})
	if err != nil || list.Tree != "/fix" {
		t.Errorf("what the session read is in %q, %v", list.Tree, err)
	}
	_, err = l.Session(t.Context(), ledger.SessionRequest{Latest: true, Tree: "/w"})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "no session in this tree is recorded") {
		t.Errorf("the newest of the other tree: %v", err)
	}
}
