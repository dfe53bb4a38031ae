package hooking_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/cli/hooking"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// place is a workspace with the environment of an agent's hooks.
type place struct {
	workspace.Workspace
	env env.Env
}

// newPlace makes a workspace. Its paths are short, so that sockets fit. more are variables with their values.
func newPlace(t *testing.T, more map[string]string) place {
	t.Helper()
	top, err := os.MkdirTemp("", "cl")
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(top); err != nil {
			t.Error(err)
		}
	})
	p := place{env: env.System()}
	p.env.Dir, p.env.Home = filepath.Join(top, "shop"), filepath.Join(top, "home")
	p.env.Lookup = func(name string) string {
		if name == workspace.StateVariable {
			return filepath.Join(top, "state")
		}
		return more[name]
	}
	if err := os.Mkdir(p.env.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if p.Workspace, err = workspace.Find(p.env, workspace.Options{}); err != nil || p.Root == "" {
		t.Fatal(p.Workspace, err)
	}
	return p
}

// hook runs a hook, whose daemon a program would be that is not there, and returns what it prints and logs.
func (p place) hook(t *testing.T, event string, in io.Reader) (printed, logged string) {
	t.Helper()
	var out bytes.Buffer
	hooking.Main(t.Context(), hooking.Config{Args: []string{"hook", "claude-code", event}, Env: p.env, Version: "test",
		In: in, Out: &out, Daemon: []string{filepath.Join(p.Root, "ctxledger")}})
	raw, err := os.ReadFile(filepath.Join(p.State, "log", "hook.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return out.String(), string(raw)
}

// serve runs the daemon of the workspace in this process until the test ends.
func (p place) serve(t *testing.T, answer daemon.HookAnswerer) {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, daemon.Config{State: p.State, Workspace: p.Root, Env: p.env, Hook: answer})
	}()
	t.Cleanup(func() {
		leave()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for { // it publishes itself soon
		if _, err := link.ReadOwner(p.State); err == nil {
			return
		}
		select {
		case err := <-ended:
			t.Fatal(err)
		default:
		}
	}
}

// patient is a hook's time in tests where it is not what is tested.
var patient = map[string]string{hooking.Variable: "20000", "SHELL": "/bin/zsh", "CLAUDE_CONFIG_DIR": "/there"}

// TestADaemonAnswersWithWhatTheHookKnows looks at what the daemon is told, and prints what it says.
func TestADaemonAnswersWithWhatTheHookKnows(t *testing.T) {
	p := newPlace(t, patient)
	large := strings.Repeat("x", 5<<20) // more than a frame has
	p.serve(t, func(ctx context.Context, api ledger.API, e link.HookEvent) (daemon.HookAnswer, error) {
		info, err := api.Info(ctx, ledger.InfoRequest{})
		_, offset := time.Now().Zone()
		if err != nil || info.Workspace != p.Root || e.Agent != "claude-code" || e.Name != "PreToolUse" ||
			e.Root != p.Root || e.Variables["SHELL"] != "/bin/zsh" || e.Variables["CLAUDE_CONFIG_DIR"] != "/there" ||
			e.Offset != offset {
			t.Errorf("%v: %+v, %+v", err, info, e.Variables)
		}
		return daemon.HookAnswer{Out: e.Input}, nil
	})
	for _, input := range []string{"", "{}", large} {
		if out, log := p.hook(t, "PreToolUse", strings.NewReader(input)); out != input || log != "" {
			t.Errorf("of %d bytes it prints %d, and logs %q", len(input), len(out), log)
		}
	}
}

// TestAnAnswerThatFailsIsOneLine lets the daemon fail in every way.
func TestAnAnswerThatFailsIsOneLine(t *testing.T) {
	for name, answer := range map[string]daemon.HookAnswerer{
		"no answerer": nil,
		"an error": func(context.Context, ledger.API, link.HookEvent) (daemon.HookAnswer, error) {
			return daemon.HookAnswer{Out: []byte("half")}, errors.New("of the answerer")
		},
		"a panic": func(context.Context, ledger.API, link.HookEvent) (daemon.HookAnswer, error) {
			panic("of the answerer")
		},
		"the end of its time": func(ctx context.Context, _ ledger.API, _ link.HookEvent) (daemon.HookAnswer, error) {
			<-ctx.Done()
			return daemon.HookAnswer{Out: []byte("late")}, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, map[string]string{hooking.Variable: "2000"})
			p.serve(t, answer)
			out, log := p.hook(t, "SessionStart", strings.NewReader("{}"))
			if out != "" || strings.Count(log, "\n") != 1 {
				t.Errorf("it prints %q and logs %q", out, log)
			}
		})
	}
}

// TestWithoutTheDaemonsProgram: ctxhook without ctxledger in its directory, say.
func TestWithoutTheDaemonsProgram(t *testing.T) {
	p := newPlace(t, patient)
	out, log := p.hook(t, "SessionStart", strings.NewReader("{}"))
	if out != "" || strings.Count(log, "\n") != 1 || !strings.Contains(log, "no daemon runs") ||
		!strings.Contains(log, "shop/ctxledger: no such file") {
		t.Errorf("it prints %q and logs %q", out, log)
	}
	out, log = p.hook(t, "SessionStart", strings.NewReader("{}"))
	if out != "" || strings.Count(log, "\n") != 2 || strings.Count(log, "no such file") != 1 {
		t.Errorf("at once again it prints %q and logs %q", out, log)
	}
}

// endless is a standard input that never ends, until it is closed.
type endless struct {
	bytes  bool // whether there is something to read
	closed chan struct{}
}

func (e endless) Read(p []byte) (int, error) {
	if !e.bytes {
		<-e.closed
	}
	select {
	case <-e.closed:
		return 0, io.EOF
	default:
		return len(p), nil
	}
}

// TestAnEndlessInput: the hook ends all the same, with one line, and no daemon gets any of it.
func TestAnEndlessInput(t *testing.T) {
	for name, in := range map[string]endless{
		"bytes":   {true, make(chan struct{})},
		"silence": {false, make(chan struct{})},
	} {
		p := newPlace(t, map[string]string{hooking.Variable: "500"})
		out, log := p.hook(t, "PostToolUse", in)
		if out != "" || strings.Count(log, "\n") != 1 {
			t.Errorf("%s: it prints %q and logs %q", name, out, log)
		}
		close(in.closed)
	}
}

// TestAnInputThatIsTooLong is read to its end, so that the agent can write it, and not sent.
func TestAnInputThatIsTooLong(t *testing.T) {
	p := newPlace(t, patient)
	in := strings.NewReader(strings.Repeat("x", 2*link.HookInput))
	out, log := p.hook(t, "PostToolUse", in)
	if out != "" || in.Len() > 0 || strings.Count(log, "\n") != 1 || !strings.Contains(log, "more than 8388608 bytes") {
		t.Errorf("it prints %q, leaves %d bytes and logs %q", out, in.Len(), log)
	}
}
