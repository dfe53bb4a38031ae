package programtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/workspace"
)

// Patience is how long a test waits for what should take milliseconds.
const Patience = 60 * time.Second

// NewBox returns a sandbox for the programs in a directory. It is closed when the test ends.
func NewBox(t *testing.T, bin string) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(bin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Patience) // that of the test has ended by then
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Place is where programs run: a workspace, a home directory and a state directory of their own. Paths are absolute,
// that of the workspace without symbolic links.
type Place struct{ Root, Home, State string }

// NewPlace makes one, which goes with the test.
func NewPlace(t *testing.T) Place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := Place{Root: filepath.Join(root, "project"), Home: t.TempDir(), State: filepath.Join(t.TempDir(), "state")}
	if err := os.Mkdir(p.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// Variables are the environment of a program: nothing of the machine's own.
func (p Place) Variables(more ...string) []string {
	e := env.System()
	return append([]string{"HOME=" + p.Home, "PATH=" + e.Lookup("PATH"), "TMPDIR=" + e.Temp,
		"CTXLEDGER_STATE=" + p.State}, more...)
}

// Command returns a program, ready to be started in the workspace. It is killed when the test has no patience left.
func (p Place) Command(t *testing.T, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	t.Cleanup(cancel)
	return p.in(exec.CommandContext(ctx, program, arguments...))
}

// Forever returns a program without a bound on its life, for runs of any length.
func (p Place) Forever(program string, arguments ...string) *exec.Cmd {
	return p.in(exec.Command(program, arguments...))
}

func (p Place) in(c *exec.Cmd) *exec.Cmd {
	c.Dir, c.Env = p.Root, p.Variables()
	return c
}

// Workspace returns what programs find in the place.
func (p Place) Workspace(t *testing.T) workspace.Workspace {
	t.Helper()
	e := env.System()
	e.Dir, e.Home = p.Root, p.Home
	e.Lookup = func(name string) string { return map[string]string{"CTXLEDGER_STATE": p.State}[name] }
	ws, err := workspace.Find(e, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// StopDaemons ends the daemons of the place when the test ends.
func (p Place) StopDaemons(t *testing.T) {
	t.Helper()
	ws := p.Workspace(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Patience)
		defer cancel()
		if err := sandbox.StopOwners(ctx, ws.State, ws.UserState); err != nil {
			t.Error(err)
		}
	})
}
