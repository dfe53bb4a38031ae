//go:build unix

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/stores"
	"ctxledger.dev/ledger"
)

func kill(t *testing.T, pid int)   { signalTo(t, pid, syscall.SIGKILL) }
func resume(t *testing.T, pid int) { signalTo(t, pid, syscall.SIGCONT) }

// pause stops a daemon that this process started, and waits until it is suspended.
func pause(t *testing.T, pid int) {
	t.Helper()
	signalTo(t, pid, syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("status %v, %v", status, err)
	}
}

func signalTo(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if pid <= 1 || pid == os.Getpid() {
		t.Fatalf("no daemon has pid %d", pid)
	}
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

func TestSignalsEndADaemonInGoodOrder(t *testing.T) {
	state := stateDir(t)
	api := open(t, optionsFor(t, state))
	save(t, api, "kept")
	signalTo(t, published(t, state).PID, syscall.SIGTERM)
	until(t, "owner.json is removed", func() bool {
		_, err := link.ReadOwner(state)
		return fault.Is(err, fault.NotFound)
	})
	if got, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "kept"}); err != nil || got.Body != "kept" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEverythingIsPrivate(t *testing.T) {
	old := syscall.Umask(0) // daemons inherit it
	defer syscall.Umask(old)
	state := stateDir(t)
	api := open(t, optionsFor(t, state))
	save(t, api, "secret")
	if _, err := api.PutBlob(deadlined(t), strings.NewReader(strings.Repeat("secret\n", 10_000))); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		seen[d.Name()] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ledger.db", link.OwnerName, socketName, "daemon.log"} {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestALongStatePathHasItsSocketElsewhere(t *testing.T) {
	state := filepath.Join(stateDir(t), strings.Repeat("long", 30))
	o := optionsFor(t, state)
	t.Cleanup(func() {
		if err := link.Stop(t.Context(), state); err != nil {
			t.Error(err)
		}
	})
	save(t, open(t, o), "fact")
	_, path, err := link.SplitAddress(published(t, state).Address)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil || dir.Mode().Perm() != 0o700 || strings.HasPrefix(path, state) {
		t.Errorf("socket %s in a directory %v: %v", path, dir.Mode(), err)
	}
	if err := link.Stop(deadlined(t), state); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the socket was left")
	}
}

func TestASocketDirectoryOfOthersIsRefused(t *testing.T) {
	temp, err := os.MkdirTemp(shortTemp(), "cl")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, privateName())
	for _, c := range []struct {
		name string
		make func() error
	}{
		{"open to others", func() error { // whatever the umask
			return errors.Join(os.Mkdir(dir, 0o755), os.Chmod(dir, 0o755))
		}},
		{"a link", func() error { return os.Symlink(t.TempDir(), dir) }},
		{"a file", func() error { return os.WriteFile(dir, nil, 0o600) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.make(); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(dir)
			_, err := chooseSocket(env.Env{Temp: temp}, strings.Repeat("/long", 50))
			if !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestLeftoversOfDeadOwners opens ledgers whose last owner did not withdraw.
func TestLeftoversOfDeadOwners(t *testing.T) {
	for _, c := range []struct {
		name  string
		leave func(t *testing.T, state string)
	}{
		{"a dead process", func(t *testing.T, state string) {
			leave(t, state, link.Owner{PID: 1 << 22, Address: "unix:" + filepath.Join(state, socketName)})
		}},
		{"another process at the pid", func(t *testing.T, state string) {
			leave(t, state, link.Owner{PID: os.Getpid(), Address: "unix:" + filepath.Join(state, socketName)})
		}},
		{"a stale socket", func(t *testing.T, state string) {
			path := filepath.Join(state, socketName)
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			l.SetUnlinkOnClose(false)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			leave(t, state, link.Owner{PID: os.Getpid(), Address: "unix:" + path})
		}},
		{"a file instead of a socket", func(t *testing.T, state string) {
			path := filepath.Join(state, socketName)
			if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			leave(t, state, link.Owner{PID: os.Getpid(), Address: "unix:" + path})
		}},
		{"damaged", func(t *testing.T, state string) { write(t, filepath.Join(state, link.OwnerName), "{") }},
		{"empty", func(t *testing.T, state string) { write(t, filepath.Join(state, link.OwnerName), "") }},
		{"an address far away", func(t *testing.T, state string) {
			leave(t, state, link.Owner{PID: os.Getpid(), Address: "tcp:192.0.2.1:80"})
		}},
		{"unreadable", func(t *testing.T, state string) {
			path := filepath.Join(state, link.OwnerName)
			write(t, path, "{}")
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
		}},
		{"a directory", func(t *testing.T, state string) {
			if err := os.Mkdir(filepath.Join(state, link.OwnerName), 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"a pipe", func(t *testing.T, state string) {
			if err := syscall.Mkfifo(filepath.Join(state, link.OwnerName), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a link to nowhere", func(t *testing.T, state string) {
			if err := os.Symlink("nowhere", filepath.Join(state, link.OwnerName)); err != nil {
				t.Fatal(err)
			}
		}},
		{"somebody else's socket", func(t *testing.T, state string) {
			leave(t, state, link.Owner{PID: os.Getpid(), Address: "unix:" + foreignSocket(t)})
		}},
		{"a process that kept the ledger to itself and died", func(t *testing.T, state string) {
			leave(t, state, link.Owner{PID: 1 << 22, InProcess: true})
		}},
		{"half written", func(t *testing.T, state string) { write(t, filepath.Join(state, spareName), "{") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := stateDir(t)
			if err := os.Mkdir(state, 0o700); err != nil {
				t.Fatal(err)
			}
			c.leave(t, state)
			save(t, open(t, optionsFor(t, state)), "fact")
		})
	}
}

// foreignSocket is a socket whose listener closes every connection.
func foreignSocket(t *testing.T) string {
	t.Helper()
	path := filepath.Join(shortDir(t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close() // the hello is never read
		}
	}()
	t.Cleanup(func() {
		_ = l.Close() // ends the goroutine
		<-ended
	})
	return path
}

func TestADirectoryWithContentInTheWayIsNamed(t *testing.T) {
	state := stateDir(t)
	path := filepath.Join(state, link.OwnerName)
	if err := os.MkdirAll(filepath.Join(path, "content"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Open(deadlined(t), optionsFor(t, state))
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), path) ||
		!strings.Contains(fault.HintOf(err), "remove it") {
		t.Errorf("error %v, hint %q", err, fault.HintOf(err))
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// TestAStoppedDaemonIsNamedAndAppliesNothingTwice stops the owner while a mutation is under way: the
// client gives up with an error that says whom to look at, and its repetition finds what was done.
func TestAStoppedDaemonIsNamedAndAppliesNothingTwice(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	api := open(t, o)
	pid := published(t, state).PID
	pause(t, pid)
	resumed := false
	defer func() {
		if !resumed {
			resume(t, pid)
		}
	}()
	r := fact("once")
	r.Key = "the same key"
	named := func(what string, call func(context.Context) error) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		err := call(ctx)
		who := fmt.Sprintf("pid %d", pid)
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), who) ||
			!strings.Contains(fault.HintOf(err), "kill") {
			t.Errorf("%s: %v, hint %q", what, err, fault.HintOf(err))
		}
	}
	for range 3 {
		named("a call", func(ctx context.Context) error {
			_, err := api.SaveMemory(ctx, r)
			return err
		})
	}
	named("a new client", func(ctx context.Context) error {
		_, err := Open(ctx, o)
		return err
	})
	resumed = true
	resume(t, pid)
	if _, err := api.SaveMemory(deadlined(t), r); err != nil {
		t.Fatal(err)
	}
	got, err := api.WaitEvents(deadlined(t), ledger.WaitEventsRequest{})
	if err != nil || len(got.Events) != 1 {
		t.Errorf("%d events of one mutation sent four times, %v", len(got.Events), err)
	}
	if now := published(t, state); now.PID != pid {
		t.Errorf("the owner is %d, not %d as before", now.PID, pid)
	}
}

func leave(t *testing.T, state string, o link.Owner) {
	t.Helper()
	o.Protocol, o.Token = link.Protocol, "stale"
	if err := publish(o, state); err != nil {
		t.Fatal(err)
	}
}

// TestADaemonWhoseQueueIsFullIsNotTakenForGone has more connections wait than the system keeps, while
// somebody has the ledger open.
func TestADaemonWhoseQueueIsFullIsNotTakenForGone(t *testing.T) {
	state := stateDir(t)
	store, err := stores.All().Open("bolt:"+state, kv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() // nothing was written
	leave(t, state, link.Owner{PID: os.Getpid(), Address: fullQueue(t)})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := Status(ctx, state)
	if !fault.Is(err, fault.Unavailable) || s.Running {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestASocketDoesWithoutTheDirectoryOfTMPDIR: a job's directory was removed, or belongs to somebody else. Daemons did not
// start there if the path of the state directory is long.
func TestASocketDoesWithoutTheDirectoryOfTMPDIR(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	for name, temp := range map[string]string{"missing": "/none", "a file": file, "relative": "tmp"} {
		path, err := chooseSocket(env.Env{Temp: temp}, strings.Repeat("/long", 50))
		if err != nil || filepath.Dir(filepath.Dir(path)) != "/tmp" {
			t.Errorf("%s: %s, %v", name, path, err)
		}
	}
}
