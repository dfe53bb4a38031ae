package hosting

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// newWorkspaces returns up to two ledgers at once, and what moves their clock.
func newWorkspaces(t *testing.T) (*workspaces, *time.Time) {
	t.Helper()
	e, dir := env.System(), t.TempDir()
	now := e.Now()
	w := &workspaces{all: map[string]*opened{}, shut: map[string]struct{}{}, most: 2,
		streams: map[string]map[*stream]struct{}{},
		now:     func() time.Time { return now },
		state:   func(name string) string { return filepath.Join(dir, name) },
		open: func(ctx context.Context, state string) (ledger.API, error) {
			return engine.Open(ctx, engine.Options{State: state, Hosted: true, Env: e, LockWait: time.Minute})
		}}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w, &now
}

func TestTheLedgerUsedLeastRecentlyMakesRoom(t *testing.T) {
	w, now := newWorkspaces(t)
	use := func(name string) *lease {
		t.Helper()
		l, err := w.lease(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		*now = now.Add(time.Second)
		return l
	}
	leave := func(l *lease) {
		if err := errors.Join(l.Close(), l.Close()); err != nil { // leaving twice is leaving once
			t.Error(err)
		}
	}
	leave(use("a"))
	leave(use("b"))
	leave(use("a"))
	c := use("c") // b goes
	if w.all["a"] == nil || w.all["b"] != nil {
		t.Errorf("open: %v", w.all)
	}
	a := use("a")
	if _, err := w.lease(t.Context(), "d"); !fault.Is(err, fault.Limited) {
		t.Errorf("beyond what is in use: %v", err)
	}
	leave(a)
	leave(use("d"))
	leave(c)
	if w.sweep(); w.count() != 2 {
		t.Errorf("%d are open", w.count())
	}
	*now = now.Add(idleAfter + time.Minute)
	d := use("d")
	if w.sweep(); w.count() != 1 {
		t.Errorf("%d are open, one in use", w.count())
	}
	leave(d)
}

func TestALedgerThatDoesNotOpenIsTriedAgain(t *testing.T) {
	w, _ := newWorkspaces(t)
	open, fails := w.open, true
	w.open = func(ctx context.Context, state string) (ledger.API, error) {
		if fails {
			return nil, fault.New(fault.Unavailable, "test", "not now")
		}
		return open(ctx, state)
	}
	if _, err := w.lease(t.Context(), "a"); !fault.Is(err, fault.Unavailable) || w.all["a"].users != 0 {
		t.Errorf("%v %+v", err, w.all["a"])
	}
	fails = false
	l, err := w.lease(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	l.release()
}

// TestWritesAtWorkTakeRoom: as if what they send were all new, until they end and the size says what was.
func TestWritesAtWorkTakeRoom(t *testing.T) {
	w, _ := newWorkspaces(t)
	const most = 10 << 20
	reserve := func(want bool) (end func()) {
		t.Helper()
		ctx, end := context.WithCancel(t.Context())
		if size, fits, err := w.reserve(ctx, "a", 6<<20, most); err != nil || fits != want {
			t.Errorf("%d bytes: %v %v", size, fits, err)
		}
		return end
	}
	first, second := reserve(true), reserve(true)
	defer first()
	reserve(false)()
	second()
	for {
		w.mu.Lock()
		ended := w.all["a"].written > 0
		w.mu.Unlock()
		if ended {
			break
		}
		runtime.Gosched()
	}
	reserve(true)() // the second one wrote nothing
}

// TestManyUseWorkspacesThatDoNotFitAtOnce: each keeps what it is told, while ledgers are closed and opened.
func TestManyUseWorkspacesThatDoNotFitAtOnce(t *testing.T) {
	w, _ := newWorkspaces(t)
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			for round := range 6 {
				name := fmt.Sprint("w", (i+round)%4)
				l, err := w.lease(t.Context(), name)
				if fault.Is(err, fault.Limited) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				_, err = l.SaveMemory(t.Context(), ledger.SaveMemoryRequest{Entry: memory.Entry{
					Name: fmt.Sprint(i, round), Body: name, Source: "user"}})
				all, no := l.Memories(t.Context(), ledger.MemoriesRequest{Body: true})
				if err := errors.Join(err, no, l.Close()); err != nil {
					t.Error(err)
				}
				for _, e := range all.Entries {
					if e.Body != name {
						t.Errorf("%s has a memory of %s", name, e.Body)
					}
				}
			}
		})
	}
	work.Wait()
}

func TestWhatIsAtWorkIsBounded(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	g := gate{tokens: map[string]*load{}}
	slow := access.Token{ID: "slow", Rate: 2}
	enter := func(token access.Token, bytes int64, want string) func() {
		t.Helper()
		no, leave := g.enter(token, bytes, now)
		if got := no; (got == nil) != (want == "") || got != nil && got.reason != want {
			t.Errorf("refused %+v, not for %q", got, want)
		}
		return leave
	}
	for range burst * slow.Rate {
		enter(slow, 0, "")()
	}
	enter(slow, 0, "rate")()
	now = now.Add(time.Second / 2)
	enter(slow, 0, "")()
	enter(slow, 0, "rate")()
	now = now.Add(-time.Hour) // clocks go back
	enter(slow, 0, "rate")()
	now = now.Add(24 * time.Hour)
	for range burst * slow.Rate { // not those of a day
		enter(slow, 0, "")()
	}
	enter(slow, 0, "rate")()

	fast := func(i int) access.Token { return access.Token{ID: fmt.Sprint("t", i), Rate: 1_000_000} }
	var leave []func()
	for range mostRequestsOf {
		leave = append(leave, enter(fast(0), 0, ""))
	}
	enter(fast(0), 0, "concurrency")()
	for range mostRequests - mostRequestsOf {
		leave = append(leave, enter(fast(1), 0, ""))
	}
	enter(fast(2), 0, "busy")()
	for _, l := range leave {
		l()
	}
	leave = nil
	for i := range mostBytes / mostBytesOf {
		leave = append(leave, enter(fast(i), mostBytesOf, ""))
		enter(fast(i), 1, "concurrency")()
	}
	enter(fast(9), 1, "busy")()
	for _, l := range leave {
		l()
	}
	if g.all != (load{}) {
		t.Errorf("left: %+v", g.all)
	}
}
