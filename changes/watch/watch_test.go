package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"

	"ctxledger.dev/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

// start returns a watcher of its own, of a system that has one to give.
func start(t *testing.T) *Watcher {
	t.Helper()
	return of(t, share(t))
}

// share returns what watchers share, where the system has a watcher to give.
func share(t *testing.T) *Shared {
	t.Helper()
	s := NewShared(Options{})
	w := of(t, s)
	if err := w.Add(t.TempDir()); fault.Is(err, fault.Limited) {
		t.Skipf("no file can be watched here: %v", err)
	}
	return s
}

// of returns another watcher.
func of(t *testing.T, s *Shared) *Watcher {
	t.Helper()
	w := s.New()
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// await reads events until one of path comes.
func await(t *testing.T, w *Watcher, path string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case e := <-w.Events():
			if e.Path == path {
				return
			}
		case <-deadline:
			t.Fatalf("no event of %s", path)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWhatHappensInADirectoryLeadsToAnEvent(t *testing.T) {
	w, dir := start(t), t.TempDir()
	if err := w.Add(dir); err != nil {
		t.Fatal(err)
	}
	file, moved, sub := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "sub")
	for _, step := range []struct {
		name string
		do   func() error
		path string
	}{
		{"create", func() error { return os.WriteFile(file, []byte("x"), 0o600) }, file},
		{"write", func() error { return os.WriteFile(file, []byte("xy"), 0o600) }, file},
		{"rename", func() error { return os.Rename(file, moved) }, moved},
		{"remove", func() error { return os.Remove(moved) }, moved},
		{"directory", func() error { return os.Mkdir(sub, 0o700) }, sub},
	} {
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		await(t, w, step.path)
	}
}

func TestADirectoryCanBeRemovedAndAddedAgain(t *testing.T) {
	w, dir := start(t), filepath.Join(t.TempDir(), "d")
	for i := range 3 {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := w.Add(dir); err != nil {
			t.Fatal(err)
		}
		if err := w.Add(dir); err != nil {
			t.Fatalf("added twice: %v", err)
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		put(t, path, "x")
		await(t, w, path)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		await(t, w, dir)
	}
	w.Remove(dir)
	w.Remove("/never/added")
}

func TestErrorsOfAdd(t *testing.T) {
	w := start(t)
	if err := w.Add(filepath.Join(t.TempDir(), "none")); !fault.Is(err, fault.NotFound) {
		t.Errorf("a missing directory: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(t.TempDir()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("after Close: %v", err)
	}
	if _, open := <-w.Events(); open {
		t.Error("an event after Close")
	}
}

func TestAnErrorOfTheSystemAsksForARescan(t *testing.T) {
	w := start(t)
	must(t, w.Add(t.TempDir()))
	w.shared.system.Errors <- fsnotify.ErrEventOverflow
	select {
	case e := <-w.Events():
		if !e.Rescan {
			t.Errorf("event %+v", e)
		}
	case <-time.After(patience):
		t.Fatal("no event")
	}
}

func TestCloseEndsAWatcherThatNobodyReads(t *testing.T) {
	w, dir := start(t), t.TempDir()
	if err := w.Add(dir); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		put(t, filepath.Join(dir, fmt.Sprint(i)), "x")
	}
}

func TestQueueKeepsEachPathOnceAndGivesUpWhenFull(t *testing.T) {
	var q queue
	q.add("a")
	q.add("b")
	q.add("a")
	for _, want := range []string{"a", "b"} {
		if e, ok := q.head(); !ok || e.Path != want {
			t.Fatalf("head %+v, %v; want %s", e, ok, want)
		}
		q.pop()
	}
	if _, ok := q.head(); ok {
		t.Fatal("the queue is not empty")
	}
	for i := range queueLen + 1 {
		q.add(fmt.Sprint(i))
	}
	q.add("more")
	if e, _ := q.head(); !e.Rescan || len(q.paths)+len(q.known) > 0 {
		t.Fatalf("head of a full queue: %+v", e)
	}
	q.pop()
	q.add("after")
	if e, _ := q.head(); e.Path != "after" {
		t.Errorf("head after a rescan: %+v", e)
	}
}
