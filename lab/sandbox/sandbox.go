package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// Sandbox is a temporary place in which the programs run. All paths are absolute.
type Sandbox struct {
	Bin       string // directory of the built programs
	Top       string // what Close removes
	Workspace string // the project, empty at first; the working directory of the children
	Home      string // the home directory of the children
	Config    string // where Claude Code keeps its files for them
	State     string // CTXLEDGER_STATE, where ledgers are
}

// New makes a sandbox for the programs in bin. Its path is short, so that sockets fit below it.
func New(bin string) (*Sandbox, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	top, err := os.MkdirTemp("", "ctxl")
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real // as the children see their own working directory
	}
	s := &Sandbox{
		Bin: bin, Top: top, Workspace: filepath.Join(top, "shop"),
		Home: filepath.Join(top, "home"), Config: filepath.Join(top, "home", ".claude"),
		State: filepath.Join(top, "state"),
	}
	err = errors.Join(os.MkdirAll(s.Config, 0o700), os.Mkdir(s.Workspace, 0o700))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(top))
	}
	return s, nil
}

// Close asks the daemons of the sandbox to leave, waits until they have, and removes everything.
func (s *Sandbox) Close(ctx context.Context) error {
	for {
		states, err := os.ReadDir(s.State)
		if errors.Is(err, os.ErrNotExist) {
			err = nil // nothing was ever started
		}
		var all []string
		for _, d := range states {
			all = append(all, filepath.Join(s.State, d.Name()))
		}
		err = errors.Join(err, StopOwners(ctx, all...))
		removed := os.RemoveAll(s.Top)
		if err != nil || removed == nil || ctx.Err() != nil {
			return errors.Join(err, removed)
		} // an owner that was being started has made files since
	}
}

// program returns the path of a built program.
func (s *Sandbox) program(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(s.Bin, name)
}

// kept are the variables of this process that the children see: without them programs do not run.
var kept = []string{"PATH", "TMPDIR", "TMP", "TEMP", "LANG", "SystemRoot", "GOCOVERDIR"}

// Env returns the environment of the children.
func (s *Sandbox) Env() []string {
	out := []string{
		"HOME=" + s.Home, "USERPROFILE=" + s.Home, "CLAUDE_CONFIG_DIR=" + s.Config,
		workspace.StateVariable + "=" + s.State,
	}
	lookup := env.System().Lookup
	for _, name := range kept {
		if v := lookup(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// Place returns the workspace as the children find it: its state directory above all.
func (s *Sandbox) Place() (workspace.Workspace, error) {
	e := env.System()
	e.Home, e.Dir = s.Home, s.Workspace
	e.Lookup = func(name string) string {
		if name == workspace.StateVariable {
			return s.State
		}
		return ""
	}
	return workspace.Find(e, workspace.Options{})
}

// Command returns a command of ctxledger, ready to be started in the workspace.
func (s *Sandbox) Command(ctx context.Context, args ...string) *exec.Cmd {
	return s.Program(ctx, "ctxledger", args...)
}

// Program returns another of the programs, ready to be started in the workspace.
func (s *Sandbox) Program(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program(name), args...)
	cmd.Dir, cmd.Env = s.Workspace, s.Env()
	return cmd
}

// Run runs a command of ctxledger and returns what it answered. The error of one that failed holds
// what it said.
func (s *Sandbox) Run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := s.Command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("ctxledger %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, err
}

// Open returns the ledger of the workspace as this process sees it: through the daemon, which a
// child starts if none runs. This process never starts one itself, or the daemon would inherit its
// environment; a daemon that ends is not replaced by the returned API.
func (s *Sandbox) Open(ctx context.Context) (ledger.API, error) {
	if _, err := s.Run(ctx, "status"); err != nil {
		return nil, err
	}
	place, err := s.Place()
	if err != nil {
		return nil, err
	}
	return daemon.Open(ctx, daemon.Options{State: place.State, Workspace: place.Root, Env: env.System(),
		Version: "sandbox", NoSpawn: true})
}

// Owner returns the process id of the daemon of the workspace, 0 when none runs.
func (s *Sandbox) Owner(ctx context.Context) (int, error) {
	place, err := s.Place()
	if err != nil {
		return 0, err
	}
	st, err := daemon.Status(ctx, place.State)
	return st.PID, err
}
