package daemon

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/workspace"
)

// hookOf asks the daemon of a state directory to answer an event.
func hookOf(t *testing.T, state string, e link.HookEvent) ([]byte, error) {
	t.Helper()
	a, err := link.Hook(deadlined(t), link.Options{State: state, Env: env.System()}, e, patience)
	if err != nil {
		return nil, err
	}
	defer a.Close() // it was read
	a.Told()
	return a.Out, nil
}

// TestAHookIsAnsweredInItsTree: sessions are found in the tree of the event, and memories of both scopes.
func TestAHookIsAnsweredInItsTree(t *testing.T) {
	t.Setenv(workspace.StateVariable, stateDir(t))
	root := t.TempDir()
	ws, err := workspace.Find(env.System(), workspace.Options{Flag: root})
	if err != nil {
		t.Fatal(err)
	}
	run(t, Config{State: ws.UserState})
	run(t, Config{State: ws.State, Workspace: root,
		Hook: func(ctx context.Context, api ledger.API, _ link.HookEvent) (HookAnswer, error) {
			info, err := api.Info(ctx, ledger.InfoRequest{})
			if err != nil || info.Workspace != ws.Root {
				t.Errorf("%v: %+v", err, info)
			}
			all, err := api.Memories(ctx, ledger.MemoriesRequest{})
			var names []string
			for _, e := range all.Entries {
				names = append(names, string(e.Scope)+" "+e.Name)
			}
			return HookAnswer{Out: []byte(strings.Join(names, ", "))}, err
		}})
	both, err := OpenWorkspace(deadlined(t), ws, Options{Env: env.System(), NoSpawn: true})
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close() // only its memories are of interest
	for name, scope := range map[string]string{"near": "project", "far": "user"} {
		r := fact(name)
		r.Scope = memory.Scope(scope)
		if _, err := both.SaveMemory(deadlined(t), r); err != nil {
			t.Fatal(err)
		}
	}
	out, err := hookOf(t, ws.State, link.HookEvent{Root: ws.Root})
	if err != nil || string(out) != "project near, user far" {
		t.Errorf("%q, %v", out, err)
	}
}

// TestHooksThatADaemonRefuses: of no tree, of the user ledger, and longer than they may be.
func TestHooksThatADaemonRefuses(t *testing.T) {
	answer := func(context.Context, ledger.API, link.HookEvent) (HookAnswer, error) {
		return HookAnswer{Out: []byte("answer")}, nil
	}
	state, user, without := stateDir(t), stateDir(t), stateDir(t)
	root := t.TempDir()
	run(t, Config{State: state, Workspace: root, Hook: answer})
	run(t, Config{State: user, Hook: answer})
	run(t, Config{State: without, Workspace: root})
	for _, c := range []struct {
		name, state string
		event       link.HookEvent
		code        fault.Code
	}{
		{"a tree", state, link.HookEvent{Root: root}, ""},
		{"as much as there may be", state,
			link.HookEvent{Root: root, Input: make([]byte, link.HookInput)}, ""},
		{"no tree", state, link.HookEvent{}, fault.Invalid},
		{"the user ledger", user, link.HookEvent{Root: root}, fault.Invalid},
		{"a daemon without answers", without, link.HookEvent{Root: root}, fault.Invalid},
		{"too long an input", state,
			link.HookEvent{Root: root, Input: make([]byte, link.HookInput+1)}, fault.TooLarge},
	} {
		out, err := hookOf(t, c.state, c.event)
		if fault.CodeOf(err) != c.code || (err == nil) != (string(out) == "answer") {
			t.Errorf("%s: %q, %v", c.name, out, err)
		}
	}
}

// TestADaemonThatLeavesAnswersItsHooks: the answer that has begun is given.
func TestADaemonThatLeavesAnswersItsHooks(t *testing.T) {
	state, root := stateDir(t), t.TempDir()
	begun, leaving := make(chan struct{}), make(chan struct{})
	r := run(t, Config{State: state, Workspace: root,
		Hook: func(ctx context.Context, _ ledger.API, _ link.HookEvent) (HookAnswer, error) {
			close(begun)
			<-leaving
			return HookAnswer{Out: []byte("answer")}, ctx.Err()
		}})
	go func() {
		<-begun
		r.stop()
		close(leaving)
	}()
	if out, err := hookOf(t, state, link.HookEvent{Root: root}); err != nil || string(out) != "answer" {
		t.Errorf("%q, %v", out, err)
	}
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}

// TestAHookWhoseTimeIsOver ends in the daemon, too.
func TestAHookWhoseTimeIsOver(t *testing.T) {
	state, root := stateDir(t), t.TempDir()
	ended := make(chan error, 1)
	run(t, Config{State: state, Workspace: root,
		Hook: func(ctx context.Context, _ ledger.API, _ link.HookEvent) (HookAnswer, error) {
			<-ctx.Done()
			ended <- ctx.Err()
			return HookAnswer{}, ctx.Err()
		}})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	o := link.Options{State: state, Env: env.System()}
	a, err := link.Hook(ctx, o, link.HookEvent{Root: root}, patience)
	if a.Out != nil || !fault.Is(err, fault.Unavailable) {
		t.Errorf("%q, %v", a.Out, err)
	}
	if err := <-ended; err == nil {
		t.Error("its time did not end")
	}
}

// TestAnAnswerIsToldWhenItWasPrinted: a hook that says so, one that ends without a word, one that prints nothing, and one that
// is gone before the daemon has welcomed it, whose event counts all the same.
func TestAnAnswerIsToldWhenItWasPrinted(t *testing.T) {
	state, root := stateDir(t), t.TempDir()
	told := make(chan bool, 1)
	run(t, Config{State: state, Workspace: root,
		Hook: func(_ context.Context, _ ledger.API, e link.HookEvent) (HookAnswer, error) {
			return HookAnswer{Out: e.Input, After: func(_ context.Context, printed bool) error {
				told <- printed
				return nil
			}}, nil
		}})
	after := func() bool {
		select {
		case got := <-told:
			return got
		case <-time.After(patience):
			t.Fatal("nothing happens after the answer")
			return false
		}
	}
	o := link.Options{State: state, Env: env.System()}
	for _, c := range []struct {
		name, prints string
		says, want   bool
	}{
		{"it says so", "text", true, true},
		{"it was killed", "text", false, false},
		{"nothing is printed", "", false, true},
	} {
		a, err := link.Hook(deadlined(t), o, link.HookEvent{Root: root, Input: []byte(c.prints)}, patience)
		if err != nil || string(a.Out) != c.prints {
			t.Fatalf("%s: %q, %v", c.name, a.Out, err)
		}
		if c.says {
			a.Told()
		}
		a.Close()
		if got := after(); got != c.want {
			t.Errorf("%s: told %t", c.name, got)
		}
	}
	own, err := link.ReadOwner(state)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", strings.TrimPrefix(own.Address, "unix:"))
	if err != nil {
		t.Skipf("no Unix socket: %v", err) // what was sent on others may be lost with the connection
	}
	for _, v := range []any{link.Hello{Protocol: link.Protocol, Token: own.Token, Want: link.WantHook},
		link.HookEvent{Root: root, Deadline: 1000}} {
		if err := link.WriteJSON(conn, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(link.SendBytes(conn, []byte("text")), conn.Close()); err != nil {
		t.Fatal(err)
	}
	if after() {
		t.Error("told to a hook that was gone")
	}
}
