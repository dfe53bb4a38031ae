//go:build unix

package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// withFewFiles is a shell line that runs a program which may have 64 files open.
const withFewFiles = `ulimit -n 64 && exec "$0" "$@"`

// manyClients is more than such a program can serve, or be.
const manyClients = 80

// TestAnOwnerWithFewDescriptors has more clients than its owner has file descriptors. The surplus clients get an error
// at once, the others work, and new ones can connect when they go.
func TestAnOwnerWithFewDescriptors(t *testing.T) {
	o := optionsFor(t, stateDir(t))
	o.Binary = []string{"sh", "-c", withFewFiles, os.Args[0]}
	apis, errs := openMany(t, o)
	if n := len(apis); n < leastClients || n > capacity(64) || n+len(errs) != manyClients {
		t.Errorf("%d clients were let in, %d were not", n, len(errs))
	}
	var work sync.WaitGroup
	for i, api := range apis {
		work.Go(func() {
			if _, err := api.SaveMemory(deadlined(t), fact(fmt.Sprint("fact-", i))); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	closeAll(t, apis)
	again := openWhenThereIsRoom(t, o)
	id := artifact(t, again, "later")
	if _, err := again.ReadArtifact(deadlined(t), ledger.ReadArtifactRequest{ID: id}); err != nil {
		t.Errorf("when they have gone: %v", err)
	}
}

// clientsVariable names the state directory, to the process with few descriptors that a test runs.
const clientsVariable = "CTXLEDGER_TEST_CLIENTS"

// TestAClientWithFewDescriptors is a process with more clients than file descriptors.
func TestAClientWithFewDescriptors(t *testing.T) {
	if state := os.Getenv(clientsVariable); state != "" {
		apis, errs := openMany(t, Options{State: state, Env: env.System(), NoSpawn: true})
		if len(apis) == 0 || len(errs) == 0 {
			t.Errorf("%d clients were opened, %d were not", len(apis), len(errs))
		}
		for _, api := range apis {
			if err := info(t, api); err != nil {
				t.Error(err)
			}
		}
		closeAll(t, apis)
		openWhenThereIsRoom(t, Options{State: state, Env: env.System(), NoSpawn: true})
		return
	}
	o := optionsFor(t, stateDir(t)) // its owner has as many descriptors as this test
	save(t, open(t, o), "fact")
	inside := exec.Command("sh", "-c", withFewFiles, os.Args[0], "-test.run=^TestAClientWithFewDescriptors$")
	inside.Env = append(os.Environ(), clientsVariable+"="+o.State)
	if out, err := inside.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// openMany opens a ledger manyClients times at once. A rejected client must get the reason.
func openMany(t *testing.T, o Options) (apis []ledger.API, errs []error) {
	t.Helper()
	var mu sync.Mutex
	var work sync.WaitGroup
	for range manyClients {
		work.Go(func() {
			api, err := Open(deadlined(t), o)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				apis = append(apis, api)
				return
			}
			errs = append(errs, err)
			if !fault.Is(err, fault.Limited) || !strings.Contains(err.Error(), "file descriptors") ||
				!strings.Contains(fault.HintOf(err), "ulimit -n") {
				t.Errorf("%v, hint %q", err, fault.HintOf(err))
			}
		})
	}
	work.Wait()
	return apis, errs
}

// openWhenThereIsRoom opens a ledger that others have just left: their owner sees that a moment later.
func openWhenThereIsRoom(t *testing.T, o Options) ledger.API {
	t.Helper()
	ctx := deadlined(t)
	for {
		api, err := Open(ctx, o)
		if err == nil {
			t.Cleanup(func() { closeAll(t, []ledger.API{api}) })
			return api
		}
		if !fault.Is(err, fault.Limited) || ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

func closeAll(t *testing.T, apis []ledger.API) {
	t.Helper()
	for _, api := range apis {
		if err := api.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCapacity says how many connections a daemon serves, by its limit of file descriptors.
func TestCapacity(t *testing.T) {
	for descriptors, want := range map[int]int{0: maxClients, 16: leastClients, 64: 32, 256: 224, 1024: maxClients} {
		if got := capacity(descriptors); got != want {
			t.Errorf("%d descriptors: %d connections, not %d", descriptors, got, want)
		}
	}
	for _, err := range []error{nil, errors.New("other"), os.ErrNotExist} {
		if f := link.OutOfFiles(err); f != nil {
			t.Errorf("%v became %v", err, f)
		}
	}
}
