package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func TestClientsStartOneOwnerBetweenThem(t *testing.T) {
	o := optionsFor(t, stateDir(t))
	const n = 6
	pids := make([]int, n)
	var work sync.WaitGroup
	for i := range n {
		work.Go(func() {
			api, err := Open(t.Context(), o)
			if err != nil {
				t.Error(err)
				return
			}
			info, err := api.Info(t.Context(), ledger.InfoRequest{})
			if err = errors.Join(err, api.Close()); err != nil {
				t.Error(err)
			}
			pids[i] = info.PID
		})
	}
	work.Wait()
	for _, pid := range pids {
		if pid != pids[0] || pid == 0 || pid == os.Getpid() {
			t.Fatalf("owners %v", pids)
		}
	}
}

func TestEightClientsWorkWhileOneWaits(t *testing.T) {
	o := optionsFor(t, stateDir(t))
	waiter := open(t, o)
	waited := make(chan error, 1)
	go func() {
		got, err := waiter.WaitEvents(t.Context(),
			ledger.WaitEventsRequest{Kinds: []string{ledger.EventForgotten}, WaitMS: 60_000})
		if err == nil {
			err = fmt.Errorf("nothing was forgotten, but %d events came", len(got.Events))
		}
		waited <- err
	}()
	const clients, each = 8, 20
	var work sync.WaitGroup
	for i := range clients {
		api := open(t, o)
		work.Go(func() {
			for j := range each {
				name := fmt.Sprintf("fact-%d-%d", i, j)
				if _, err := api.SaveMemory(t.Context(), fact(name)); err != nil {
					t.Error(err)
				}
				got, err := api.Memory(t.Context(), ledger.MemoryRequest{Name: name})
				if err != nil || got.Body != name {
					t.Errorf("%s: %+v, %v", name, got, err)
				}
			}
		})
	}
	work.Wait()
	// The connection that waits has served nothing else so far; it does, and still waits.
	info, err := waiter.Info(deadlined(t), ledger.InfoRequest{})
	if err != nil || info.Memories != clients*each || info.Clients != clients+1 {
		t.Errorf("info %+v, %v", info, err)
	}
	select {
	case err := <-waited:
		t.Fatalf("the wait is over: %v", err)
	default:
	}
	if err := waiter.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; !fault.Is(err, fault.Unavailable) {
		t.Errorf("a wait on a closed client: %v", err)
	}
}

func TestEventsReachAWaitingClient(t *testing.T) {
	o := optionsFor(t, stateDir(t))
	waiter, writer := open(t, o), open(t, o)
	now, err := waiter.WaitEvents(deadlined(t), ledger.WaitEventsRequest{After: -1})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan ledger.WaitEventsResponse, 1)
	go func() {
		r, err := waiter.WaitEvents(t.Context(), ledger.WaitEventsRequest{After: now.Next, WaitMS: 20_000})
		if err != nil {
			t.Error(err)
		}
		got <- r
	}()
	save(t, writer, "news")
	if r := <-got; len(r.Events) != 1 || r.Events[0].ID != "news" {
		t.Errorf("events %+v", r)
	}
}

// TestInvariant8KilledOwnerLosesNothing kills the owner while eight clients write: no error
// reaches them, and each mutation is applied once. The event of each commit is the witness.
func TestInvariant8KilledOwnerLosesNothing(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	const clients, each = 8, 60
	var work sync.WaitGroup
	midway := make(chan struct{}, clients*each)
	for i := range clients {
		api := open(t, o)
		work.Go(func() {
			for j := range each {
				if _, err := api.SaveMemory(t.Context(), fact(fmt.Sprintf("fact-%d-%d", i, j))); err != nil {
					t.Errorf("client %d, call %d: %v", i, j, err)
				}
				midway <- struct{}{}
			}
		})
	}
	for range clients * each / 3 {
		<-midway
	}
	first := published(t, state)
	kill(t, first.PID)
	killed := time.Now()
	<-midway
	t.Logf("first answer of the next owner after %v", time.Since(killed))
	work.Wait()
	if second := published(t, state); second.PID == first.PID {
		t.Errorf("the owner is still %d", first.PID)
	}
	api := open(t, o)
	applied := make(map[string]int)
	for after := int64(0); ; {
		r, err := api.WaitEvents(deadlined(t), ledger.WaitEventsRequest{After: after, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Events {
			applied[e.ID]++
		}
		if len(r.Events) == 0 {
			break
		}
		after = r.Next
	}
	if len(applied) != clients*each {
		t.Errorf("%d of %d mutations were applied", len(applied), clients*each)
	}
	for name, n := range applied {
		if n != 1 {
			t.Errorf("%s was applied %d times", name, n)
		}
	}
}

func TestALongPollOutlivesItsOwner(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	waiter, writer := open(t, o), open(t, o)
	for _, end := range []struct {
		name string
		how  func()
	}{
		{"asked to leave", func() {
			if err := link.Stop(deadlined(t), state); err != nil {
				t.Fatal(err)
			}
		}},
		{"killed", func() { kill(t, published(t, state).PID) }},
	} {
		t.Run(end.name, func(t *testing.T) {
			now, err := waiter.WaitEvents(deadlined(t), ledger.WaitEventsRequest{After: -1})
			if err != nil {
				t.Fatal(err)
			}
			got := make(chan ledger.WaitEventsResponse, 1)
			go func() {
				r, err := waiter.WaitEvents(t.Context(), ledger.WaitEventsRequest{After: now.Next, WaitMS: 20_000})
				if err != nil {
					t.Error(err)
				}
				got <- r
			}()
			end.how()
			save(t, writer, end.name)
			if r := <-got; len(r.Events) != 1 || r.Events[0].ID != end.name {
				t.Errorf("events %+v", r)
			}
		})
	}
}

func TestDeadlinesHoldWhileTheOwnerIsStopped(t *testing.T) {
	state := stateDir(t)
	api := open(t, optionsFor(t, state))
	pid := published(t, state).PID
	pause(t, pid)
	resumed := false
	defer func() {
		if !resumed {
			resume(t, pid)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	// The owner does not answer before it is resumed: what returns has heeded the deadline.
	_, err := api.Info(ctx, ledger.InfoRequest{})
	if !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	resumed = true
	resume(t, pid)
	if _, err := api.Info(deadlined(t), ledger.InfoRequest{}); err != nil {
		t.Errorf("after it goes on: %v", err)
	}
}

func TestNoSpawnStartsNothing(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	o.NoSpawn = true
	if _, err := Open(deadlined(t), o); !fault.Is(err, fault.Unavailable) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("the state directory has been created")
	}
}

func TestInProcessOwnsAloneOrNamesTheOwner(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	alone := o
	alone.InProcess = true
	api, err := Open(deadlined(t), alone)
	if err != nil {
		t.Fatal(err)
	}
	save(t, api, "kept")
	if err := api.Close(); err != nil {
		t.Fatal(err)
	}
	shared := open(t, o)
	if got, err := shared.Memory(deadlined(t), ledger.MemoryRequest{Name: "kept"}); err != nil || got.Body != "kept" {
		t.Fatalf("%+v, %v", got, err)
	}
	_, err = Open(deadlined(t), alone)
	pid := fmt.Sprintf("pid %d", published(t, state).PID)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), pid) ||
		!strings.Contains(fault.HintOf(err), "daemon stop") {
		t.Errorf("error %v, hint %q", err, fault.HintOf(err))
	}
}

// TestAnOwnerInAProcessIsNamedEarly meets a process that keeps the ledger to itself.
func TestAnOwnerInAProcessIsNamedEarly(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	alone := o
	alone.InProcess = true
	api, err := Open(deadlined(t), alone)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() // again: of a test that failed
	only := o
	only.NoSpawn = true
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"a client", func() error { return openAndClose(t, o) }},
		{"a client that starts nothing", func() error { return openAndClose(t, only) }},
		{"another of its kind", func() error { return openAndClose(t, alone) }},
		{"a stop", func() error { return link.Stop(deadlined(t), state) }},
	} {
		err := c.do()
		who := fmt.Sprintf("pid %d", os.Getpid())
		late := errors.Is(err, context.DeadlineExceeded) // it searched until its time was over
		if late || !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), who) ||
			!strings.Contains(err.Error()+fault.HintOf(err), "--in-process") {
			t.Errorf("%s: %v, hint %q", c.name, err, fault.HintOf(err))
		}
	}
	if s, err := Status(deadlined(t), state); err != nil || s.Running || !s.InProcess || s.PID != os.Getpid() {
		t.Errorf("status %+v, %v", s, err)
	}
	// A client that connects while it leaves waits for the ledger and gets it.
	waited := make(chan error, 1)
	go func() { waited <- openAndClose(t, o) }()
	if err := api.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("after it has left: %v", err)
	}
}

// openAndClose opens a ledger and closes it again.
func openAndClose(t *testing.T, o Options) error {
	api, err := Open(deadlined(t), o)
	if err != nil {
		return err
	}
	return api.Close()
}

func TestAStateDirectoryThatCannotBeUsedIsAClearError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("below a file", func(t *testing.T) {
		_, err := Open(deadlined(t), optionsFor(t, filepath.Join(file, "state")))
		if err == nil || fault.CodeOf(err) == fault.Internal || fault.CodeOf(err) == fault.Corrupt {
			t.Errorf("error %v", err)
		}
	})
	t.Run("read-only", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		o := optionsFor(t, filepath.Join(dir, "state"))
		if os.Geteuid() == 0 {
			o.Binary = asNobody(t)
		}
		_, err := Open(deadlined(t), o)
		if !fault.Is(err, fault.Denied) || !strings.Contains(fault.HintOf(err), "CTXLEDGER_STATE") {
			t.Errorf("error %v, hint %q", err, fault.HintOf(err))
		}
	})
}

// asNobody returns a command that runs this program as a user with no rights: the superuser may
// write anywhere.
func asNobody(t *testing.T) []string {
	t.Helper()
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("the superuser may write anywhere, and there is no setpriv")
	}
	if err := exec.Command(setpriv, "--reuid=65534", "--clear-groups", "true").Run(); err != nil {
		t.Skipf("the superuser may write anywhere, and is nobody else in this user namespace: %v", err)
	}
	dir, err := os.MkdirTemp("", "cl") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	program, err := os.ReadFile(os.Args[0])
	path := filepath.Join(dir, "daemon.test")
	if err = errors.Join(err, os.Chmod(dir, 0o755)); err == nil {
		err = os.WriteFile(path, program, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return []string{setpriv, "--reuid=65534", "--clear-groups", path}
}

func TestStatusAndStop(t *testing.T) {
	state := stateDir(t)
	if s, err := Status(deadlined(t), state); err != nil || s.Running {
		t.Fatalf("before: %+v, %v", s, err)
	}
	if err := link.Stop(deadlined(t), state); err != nil {
		t.Fatalf("stop without a daemon: %v", err)
	}
	o := optionsFor(t, state)
	open(t, o)
	s, err := Status(deadlined(t), state)
	if err != nil || !s.Running || s.PID != published(t, state).PID || s.Info.Workspace != o.Workspace ||
		s.Version != "test" {
		t.Fatalf("while it runs: %+v, %v", s, err)
	}
	if err := link.Stop(deadlined(t), state); err != nil {
		t.Fatal(err)
	}
	// The ledger is free at once.
	alone := o
	alone.InProcess = true
	if s, err := Status(deadlined(t), state); err != nil || s.Running {
		t.Errorf("after: %+v, %v", s, err)
	}
	api, err := Open(deadlined(t), alone)
	if err != nil {
		t.Fatal(err)
	}
	if err := api.Close(); err != nil {
		t.Fatal(err)
	}
}
