package wiring

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

func TestOpenInProcessDoesTheDaemonsTasksUntilClosed(t *testing.T) {
	e := env.System()
	config := t.TempDir()
	e.Lookup = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": config}[name] }
	state := t.TempDir()
	for _, x := range []struct {
		root      string
		following bool
	}{{t.TempDir(), true}, {"", false}} {
		ws := workspace.Workspace{Root: x.root, State: filepath.Join(state, "project"),
			UserState: filepath.Join(state, "user")}
		if x.root == "" {
			ws.State = ws.UserState
		}
		api, err := Open(t.Context(), e, ws, true)
		if err != nil {
			t.Fatal(err)
		}
		info, err := api.Info(t.Context(), ledger.InfoRequest{})
		if err != nil || info.Following != x.following || len(info.Hosts) > 0 != x.following ||
			info.Workspace != x.root {
			t.Errorf("root %q: %v: %+v", x.root, err, info)
		}
		if err := api.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWhatASettingSwitchesOffIsNamed: the answer about a tree says which line keeps its sessions from being followed.
func TestWhatASettingSwitchesOffIsNamed(t *testing.T) {
	e := env.System()
	dir := t.TempDir()
	e.Home = dir
	e.Lookup = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": dir}[name] }
	root := filepath.Join(dir, "project")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	ws := workspace.Workspace{Root: root, State: filepath.Join(dir, "state"), UserState: filepath.Join(dir, "user")}
	if err := os.WriteFile(filepath.Join(root, "ctxledger.yaml"), []byte("follow: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	api, err := Open(t.Context(), e, ws, true)
	if err != nil {
		t.Fatal(err)
	}
	const off = "session files are not followed here: ctxledger.yaml:1 says follow: false"
	for tree, want := range map[string]string{root: off, dir: "", "": off} {
		info, err := api.Info(t.Context(), ledger.InfoRequest{Tree: tree})
		if got := info.NotFollowed(""); err != nil || got != want {
			t.Errorf("tree %q: %q, %v", tree, got, err)
		}
	}
	if err := api.Close(); err != nil {
		t.Error(err)
	}
}

// TestTheTasksExistWhateverIsFollowed: a tree to follow may come later.
func TestTheTasksExistWhateverIsFollowed(t *testing.T) {
	root := t.TempDir()
	if n := len(Role(env.System()).Background(root, slog.New(slog.DiscardHandler))); n != 4 {
		t.Errorf("%d tasks without a configuration", n)
	}
	if err := os.WriteFile(filepath.Join(root, "ctxledger.yaml"), []byte("follow: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := len(Role(env.System()).Background(root, slog.New(slog.DiscardHandler))); n != 4 {
		t.Errorf("%d tasks with follow: false", n)
	}
}
