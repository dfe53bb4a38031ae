package daemon

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// crashVariable makes the daemons that tests start die: at the start, or of the request Growth.
const crashVariable = "CTXLEDGER_TEST_CRASH"

// seededCrash is what a daemon says that dies of crashVariable. A panic may quote what a session held.
const seededCrash = "seeded crash with password=Xk29vLq8RtWm"

// crash makes this daemon die as crashVariable says.
func crash(how string) {
	switch how {
	case "exit":
		os.Exit(3)
	case "panic":
		panic(seededCrash)
	case "request":
		methods["Growth"] = func(context.Context, ledger.API, link.Content, bool) (link.Content, error) {
			go panic(seededCrash) // a goroutine that nothing guards
			select {}
		}
	}
}

// childVariable says what befalls the children that tests start to read a ledger.
const childVariable = "CTXLEDGER_TEST_CHILD"

// endless never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestMain lets the test binary become the daemons that the tests start: real processes.
func TestMain(m *testing.M) {
	role := Role{Version: "test", Env: env.System()}
	if len(os.Args) > 1 && os.Args[1] == link.DaemonArgument {
		crash(os.Getenv(crashVariable))
	}
	if len(os.Args) > 1 && os.Args[1] == hiddenCheck {
		switch os.Getenv(childVariable) {
		case "crash":
			panic("as a damaged file would have it")
		case "hang":
			<-time.After(time.Hour)
		case "chatter":
			_, _ = io.Copy(os.Stdout, endless{})
		}
	}
	if handled, exit := Main(os.Args, func() Role { return role }); handled {
		os.Exit(exit)
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must happen, on a busy machine under the race detector.
const patience = time.Minute

// deadlined returns a context for one test.
func deadlined(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// shortTemp is the temporary directory, or another one if its path is too long for sockets in tests.
func shortTemp() string {
	const room = 60 // bytes
	if temp := os.TempDir(); len(temp) <= room {
		return temp
	}
	return "/tmp"
}

// stateDir returns the path of a state directory that does not exist yet. It is short, unlike
// those of t.TempDir, so that the socket fits. What owns it at the end of the test is stopped.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(shortTemp(), "cl")
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for { // a daemon that was started and waited for the ledger has it now, and leaves as well
			if err := link.Stop(ctx, state); err != nil {
				t.Errorf("stop: %v", err)
			}
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if ctx.Err() != nil {
				t.Error(err)
				return
			}
		}
	})
	return state
}

// optionsFor returns options for the ledger in state.
func optionsFor(t *testing.T, state string) Options {
	t.Helper()
	return Options{State: state, Workspace: t.TempDir(), Env: env.System(), Version: "test"}
}

// open opens a ledger and closes it when the test ends.
func open(t *testing.T, o Options) ledger.API {
	t.Helper()
	api, err := Open(deadlined(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := api.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return api
}

// running is a daemon inside this process.
type running struct {
	state string
	log   string
	stop  context.CancelFunc
	ended chan struct{} // closed when Run has returned
	err   error         // of Run; set before ended is closed
}

// run runs a daemon inside this process and waits until clients can come.
func run(t *testing.T, c Config) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{state: c.State, log: link.LogPath(c.State), stop: cancel, ended: make(chan struct{})}
	ready := make(chan struct{})
	c.Env, c.Version = env.System(), "test"
	c.ready = func() { close(ready) }
	go func() {
		defer close(r.ended)
		r.err = Run(ctx, c)
	}()
	t.Cleanup(func() {
		cancel()
		<-r.ended
	})
	select {
	case <-ready:
	case <-r.ended:
		t.Fatalf("the daemon ended: %v", r.err)
	}
	return r
}

// wait returns what Run returned.
func (r *running) wait(t *testing.T) error {
	t.Helper()
	select {
	case <-r.ended:
		return r.err
	case <-time.After(patience):
		t.Fatal("the daemon has not left")
		return nil
	}
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not in time: %s", what)
		}
	}
}

// published returns the owner of a state directory.
func published(t *testing.T, state string) link.Owner {
	t.Helper()
	o, err := link.ReadOwner(state)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// fact returns a request to save a memory.
func fact(name string) ledger.SaveMemoryRequest {
	return ledger.SaveMemoryRequest{
		Entry: memory.Entry{Name: name, Description: "about " + name, Body: name, Source: "user"}}
}

// save saves a memory.
func save(t *testing.T, api ledger.API, name string) {
	t.Helper()
	if _, err := api.SaveMemory(deadlined(t), fact(name)); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// artifact stores an artifact that hardly compresses and returns its id.
func artifact(t *testing.T, api ledger.API, name string) string {
	t.Helper()
	content := name + "\n" + env.System().ID(100_000)
	ref, err := api.PutBlob(deadlined(t), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	a, err := api.PutArtifact(deadlined(t), ledger.PutArtifactRequest{Blob: ref.Hash})
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}
