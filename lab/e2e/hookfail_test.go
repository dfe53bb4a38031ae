//go:build unix

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/sandbox"
)

// hookSession is the session of the events of these tests.
const hookSession = "0b0e1f2a-1111-4222-8333-444455556666"

// generous bounds a hook's run on a machine that does much else; the hook itself gives up after a quarter of a second.
const generous = 20 * time.Second

// eventOf returns the input of an event with more members.
func eventOf(s *sandbox.Sandbox, name, more string) string {
	return fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":%q%s}`, hookSession, s.Workspace, name, more)
}

// hooked runs a hook and returns what it printed. It fails the test if the hook said anything else, or not status 0.
func hooked(t *testing.T, s *sandbox.Sandbox, event, input string, more ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	return hookedBy(t, s.Program(ctx, "ctxhook", "claude-code", event), input, more...)
}

// hookedBy is hooked for a command.
func hookedBy(t *testing.T, cmd *exec.Cmd, input string, more ...string) string {
	t.Helper()
	cmd.Env = append(cmd.Env, more...)
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, and on standard error %.1000q", err, stderr.String())
	}
	return stdout.String()
}

// logged returns the lines of the log of hooks.
func logged(t *testing.T, s *sandbox.Sandbox) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.State, "*", "log", "hook.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for line := range strings.Lines(string(read(t, f))) {
			all = append(all, line)
		}
	}
	return all
}

// stateDir makes the state directory of the sandbox's ledger.
func stateDir(t *testing.T, s *sandbox.Sandbox) string {
	t.Helper()
	ws, err := s.Place()
	if err == nil {
		err = os.MkdirAll(ws.State, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ws.State
}

// TestAHookFailsOpen lets everything go wrong around a hook: it prints nothing, ends with status 0, and leaves one line
// in its log.
func TestAHookFailsOpen(t *testing.T) {
	for _, c := range []struct {
		name  string
		wreck func(t *testing.T, s *sandbox.Sandbox)
		says  string
		heals bool
	}{
		{"no daemon", func(*testing.T, *sandbox.Sandbox) {}, "no daemon runs", true},
		{"another process has the ledger", func(t *testing.T, s *sandbox.Sandbox) {
			api, err := daemon.Open(t.Context(), daemon.Options{State: stateDir(t, s), Workspace: s.Workspace,
				Env: env.System(), InProcess: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := api.Close(); err != nil {
					t.Error(err)
				}
			})
		}, "", false},
		{"a damaged ledger", func(t *testing.T, s *sandbox.Sandbox) {
			write(t, filepath.Join(stateDir(t, s), "ledger.db"), strings.Repeat("damaged ", 10_000))
		}, "no daemon runs", false},
		{"an owner that does not exist", func(t *testing.T, s *sandbox.Sandbox) {
			write(t, filepath.Join(stateDir(t, s), "owner.json"), `{"pid":1,"address":"unix:/nowhere","token":"x"}`)
		}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newBox(t)
			c.wreck(t, s)
			for i, event := range hookEvents {
				before := len(logged(t, s))
				more := `,"source":"startup","tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"make"},` +
					`"tool_response":{"stdout":"` + strings.Repeat("x", 50_000) +
					`","stderr":"","interrupted":false,"isImage":false},"trigger":"auto","compact_summary":"It was long."`
				if i > 0 && c.heals {
					break // the first call has started a daemon
				}
				if out := hooked(t, s, event, eventOf(s, event, more)); out != "" {
					t.Errorf("%s: it prints %.300q", event, out)
				}
				lines := logged(t, s)[before:]
				// On a busy machine the hook's time is over first, and it says that.
				if len(lines) != 1 || !strings.Contains(lines[0], c.says) && !strings.Contains(lines[0], "no answer within") {
					t.Errorf("%s: it logs %q", event, lines)
				}
			}
		})
	}
}

// TestAHookWhoseDaemonCannotStartStartsItSeldom calls hooks of a damaged ledger one after the other.
func TestAHookWhoseDaemonCannotStartStartsItSeldom(t *testing.T) {
	s := newBox(t)
	state := stateDir(t, s)
	write(t, filepath.Join(state, "ledger.db"), strings.Repeat("damaged ", 10_000))
	const calls = 20
	began := time.Now()
	for range calls {
		if out := hooked(t, s, "SessionStart", eventOf(s, "SessionStart", `,"source":"startup"`)); out != "" {
			t.Errorf("it prints %q", out)
		}
	}
	// After n starts the next one is due when 1, 3, 7, ... seconds have passed since the first.
	most := 1
	for pause := time.Second; time.Since(began) >= time.Duration(1<<most-1)*pause; most++ {
	}
	if n := len(read(t, filepath.Join(state, "log", "hook.starts"))); n < 1 || n > most {
		t.Errorf("%d starts in %v, not at most %d", n, time.Since(began), most)
	}
	if lines := logged(t, s); len(lines) != calls {
		t.Errorf("%d lines of the log for %d calls", len(lines), calls)
	}
}

// TestAHookWithoutItsDaemonsProgram is ctxhook in a directory of its own, without ctxledger.
func TestAHookWithoutItsDaemonsProgram(t *testing.T) {
	s := newBox(t)
	alone := filepath.Join(t.TempDir(), "ctxhook")
	if err := os.WriteFile(alone, read(t, filepath.Join(s.Bin, "ctxhook")), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(deadlined(t), alone, "claude-code", "SessionStart")
	cmd.Dir, cmd.Env = s.Workspace, s.Env()
	out := hookedBy(t, cmd, eventOf(s, "SessionStart", `,"source":"startup"`))
	lines := logged(t, s)
	if out != "" || len(lines) != 1 || !strings.Contains(lines[0], "no such file") {
		t.Errorf("it prints %q and logs %q", out, lines)
	}
}

// unending writes into a hook for as long as that reads.
type unending struct{ text []byte }

func (u unending) Read(p []byte) (int, error) { return copy(p, u.text), nil }

// TestAHookWithAnEndlessInput ends all the same.
func TestAHookWithAnEndlessInput(t *testing.T) {
	s := newBox(t)
	open(t, s)
	ctx := deadlined(t)
	cmd := s.Program(ctx, "ctxhook", "claude-code", "PostToolUse")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout = unending{[]byte(strings.Repeat("x", 1<<16))}, &out
	err := cmd.Start()
	if err == nil {
		_, err = cmd.Process.Wait() // not cmd.Wait, which waits for the input as well
	}
	if lines := logged(t, s); err != nil || out.Len() > 0 || len(lines) != 1 {
		t.Errorf("%v: it prints %q and logs %q", err, out.String(), lines)
	}
	_ = cmd.Wait() // the input has ended with the process
}

// TestAHookIgnoresWhatIsNoEvent hands in what hosts do not, while a daemon runs.
func TestAHookIgnoresWhatIsNoEvent(t *testing.T) {
	s := newBox(t)
	allHooks(t, s)
	open(t, s)
	patient := "CTXLEDGER_HOOK_MS=10000"
	deep := strings.Repeat("[", 1_000_000)
	for _, c := range []struct {
		name, event, input string
		logs               int
		more               string
	}{
		{"nothing", "SessionStart", "", 1, patient},
		{"garbage", "PostToolUse", "\x00\xff{garbage", 1, patient},
		{"deep", "PostToolUse", deep, 1, patient},
		{"32 MB", "PostToolUse", eventOf(s, "PostToolUse", `,"tool_response":"`+strings.Repeat("x", 32<<20)+`"`), 1, patient},
		{"a list", "SessionStart", "[1,2]", 0, patient},
		{"an unknown event", "Dance", eventOf(s, "Dance", ""), 0, patient},
		{"Stop", "Stop", eventOf(s, "Stop", `,"stop_hook_active":false`), 0, patient},
		{"another event", "SessionEnd", eventOf(s, "Stop", ""), 0, patient},
		{"missing members", "PostToolUse", eventOf(s, "PostToolUse", ""), 0, patient},
		{"members of other types", "PreToolUse", eventOf(s, "PreToolUse", `,"tool_name":{},"tool_input":1`), 0, patient},
		{"a failed call", "PostToolUseFailure", eventOf(s, "PostToolUseFailure", `,"error":"Exit code 3"`), 0, patient},
		{"Cursor", "SessionStart", eventOf(s, "SessionStart", `,"source":"startup"`), 0, "CURSOR_VERSION=1"},
	} {
		before := len(logged(t, s))
		if out := hooked(t, s, c.event, c.input, c.more); out != "" {
			t.Errorf("%s: it prints %.300q", c.name, out)
		}
		if n := len(logged(t, s)) - before; n != c.logs {
			t.Errorf("%s: it logs %d lines, not %d: %q", c.name, n, c.logs, logged(t, s)[before:])
		}
	}
	ctx := deadlined(t)
	for _, args := range [][]string{{"hook"}, {"hook", "claude-code"}, {"hook", "codex", "SessionStart"},
		{"hook", "claude-code", "SessionStart", "more"}, {"hook", "--flag", "x"}} {
		for _, program := range []string{"ctxledger", "ctxhook"} {
			if program == "ctxhook" {
				args = args[1:]
			}
			if out := hookedBy(t, s.Program(ctx, program, args...), eventOf(s, "SessionStart", "")); out != "" {
				t.Errorf("%s %q prints %q", program, args, out)
			}
		}
	}
	extra := `,"source":"startup","zebra":{"a":[1]},"model":7`
	if out := hooked(t, s, "SessionStart", eventOf(s, "SessionStart", extra), patient); !strings.Contains(out,
		"## Runtime Environment") {
		t.Errorf("with members that are not known it prints %q", out)
	}
}

// TestAHookStartsADaemonForTheNextCall: the first call starts one and does not wait for it.
func TestAHookStartsADaemonForTheNextCall(t *testing.T) {
	s := newBox(t)
	allHooks(t, s)
	start := eventOf(s, "SessionStart", `,"source":"startup"`)
	if out := hooked(t, s, "SessionStart", start); out != "" {
		t.Errorf("without a daemon it prints %q", out)
	}
	ctx := deadlined(t)
	for {
		if pid, err := s.Owner(ctx); err == nil && pid > 0 {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("no daemon was started")
		}
	}
	if out := hooked(t, s, "SessionStart", start, "CTXLEDGER_HOOK_MS=10000"); !strings.Contains(out, "Environment") {
		t.Errorf("with the daemon it prints %q", out)
	}
}

// TestAStartTellsWhatTheUserSavedForAllWorkspaces: those facts are in a ledger of their own, whose daemon may not run.
func TestAStartTellsWhatTheUserSavedForAllWorkspaces(t *testing.T) {
	s := newBox(t)
	run(t, s, "memory", "save", "tone", "--scope", "user", "--body", "Short sentences.")
	run(t, s, "daemon", "stop")
	run(t, s, "sessions") // starts the daemon of the workspace alone
	ctx := deadlined(t)
	for i := 0; ; i++ { // a busy machine does not start it for the first session
		start := strings.Replace(eventOf(s, "SessionStart", `,"source":"startup"`), hookSession[:8], fmt.Sprintf("%08d", i), 1)
		if strings.Contains(hooked(t, s, "SessionStart", start, "CTXLEDGER_HOOK_MS=10000"), "Short sentences.") {
			return
		}
		if ctx.Err() != nil {
			t.Fatal("it is not told")
		}
	}
}

// TestAHookThatRunsTwiceShowsATextOnce has the hook of a session's start registered twice: agents run both at once.
func TestAHookThatRunsTwiceShowsATextOnce(t *testing.T) {
	s := newBox(t)
	allHooks(t, s)
	run(t, s, "status") // starts the daemon
	start := eventOf(s, "SessionStart", `,"source":"startup"`)
	var wait sync.WaitGroup
	var out [2]string
	for i := range out {
		wait.Go(func() { out[i] = hooked(t, s, "SessionStart", start, "CTXLEDGER_HOOK_MS=10000") })
	}
	wait.Wait()
	if n := strings.Count(out[0]+out[1], "## Runtime Environment"); n != 1 {
		t.Errorf("it is shown %d times: %q", n, out)
	}
}

// onSmallDisk is a shell line that mounts a small disk, fills it, and runs a program.
const onSmallDisk = `mount -t tmpfs -o mode=700,size=1m tmpfs "$1" && { dd if=/dev/zero of="$1/fill" bs=64k || true; } ` +
	`2>/dev/null && shift && exec "$@"`

// TestAHookOnAFullDisk prints nothing where nothing can be stored.
func TestAHookOnAFullDisk(t *testing.T) {
	s := newBox(t)
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx := deadlined(t)
	inside := func(args ...string) *exec.Cmd {
		all := append([]string{"-Urm", "--pid", "--fork", "--kill-child", "sh", "-c", onSmallDisk, "sh", s.State}, args...)
		cmd := exec.CommandContext(ctx, "unshare", all...)
		cmd.Dir, cmd.Env = s.Workspace, s.Env()
		return cmd
	}
	if out, err := inside("true").CombinedOutput(); err != nil {
		t.Skipf("no disk can be mounted here: %v: %s", err, out)
	}
	for _, event := range []string{"SessionStart", "SessionEnd"} {
		cmd := inside(filepath.Join(s.Bin, "ctxhook"), "claude-code", event)
		if out := hookedBy(t, cmd, eventOf(s, event, `,"source":"startup"`)); out != "" {
			t.Errorf("%s: it prints %q", event, out)
		}
	}
}
