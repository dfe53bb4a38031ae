package watch

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/limittest"
)

// child runs the calling test again in a child process that may lower its limits, and reports whether this process is
// that child. It skips the test where there is nothing to lower.
func child(t *testing.T) bool {
	t.Helper()
	if !limittest.IsChild() {
		share(t)
	}
	return limittest.Child(t)
}

// instancesHeld returns how many watchers of the system this process has.
func instancesHeld(t *testing.T) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && to == "anon_inode:inotify" {
			n++
		}
	}
	return n
}

// TestManyWatchersUseOneInstance of inotify: a user has 128.
func TestManyWatchersUseOneInstance(t *testing.T) {
	s := share(t)
	for range 20 {
		must(t, of(t, s).Add(t.TempDir()))
	}
	if n := instancesHeld(t); n != 1 {
		t.Errorf("%d instances", n)
	}
	for w := range s.watchers {
		must(t, w.Close())
	}
	if n := instancesHeld(t); n != 0 {
		t.Errorf("%d instances after the last was closed", n)
	}
	w, dir := of(t, s), t.TempDir()
	must(t, w.Add(dir))
	put(t, filepath.Join(dir, "f"), "x")
	await(t, w, filepath.Join(dir, "f"))
}

// TestAReachedLimitIsNamedAndAskedAgain for each limit: what cannot be watched fails and is told, once in the log; after
// limits.WatchRetry the system is asked again.
func TestAReachedLimitIsNamedAndAskedAgain(t *testing.T) {
	if !child(t) {
		return
	}
	for _, x := range []struct{ limit, few, many, setting string }{
		{limittest.Instances, "0", "10", "fs.inotify.max_user_instances"},
		{limittest.Watches, "1", "100", "fs.inotify.max_user_watches"},
	} {
		t.Run(x.limit, func(t *testing.T) {
			limittest.Set(t, x.limit, x.few)
			now := time.Unix(1e9, 0)
			var log bytes.Buffer
			s := NewShared(Options{Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil))})
			w, other, first, dir := of(t, s), of(t, s), t.TempDir(), t.TempDir()
			if _, polled := s.Polled(); polled {
				t.Error("polled before anything was to be watched")
			}
			err := w.Add(first)
			if x.few == "0" == (err == nil) {
				t.Fatalf("the first: %v", err)
			}
			for range 3 {
				if err := other.Add(dir); !fault.Is(err, fault.Limited) || !strings.Contains(err.Error(), x.setting) {
					t.Fatalf("added: %v", err)
				}
			}
			other.Polls(9 * time.Second)
			if p, polled := s.Polled(); !polled || !strings.Contains(p.Why, x.setting) || p.Every != 9*time.Second {
				t.Errorf("%+v, %v", p, polled)
			}
			limittest.Set(t, x.limit, x.many)
			now = now.Add(limits.WatchRetry - 1)
			if err := other.Add(dir); !fault.Is(err, fault.Limited) {
				t.Errorf("asked too soon: %v", err)
			}
			now = now.Add(1)
			must(t, other.Add(dir))
			must(t, w.Add(first))
			if p, polled := s.Polled(); polled {
				t.Errorf("in the end %+v", p)
			}
			put(t, filepath.Join(dir, "f"), "x")
			await(t, other, filepath.Join(dir, "f"))
			if text := log.String(); strings.Count(text, "level=WARN") != 1 || strings.Count(text, "level=INFO") != 1 {
				t.Errorf("log:\n%s", text)
			}
		})
	}
}

// TestAWatchThatIsGivenBackCanBeUsedAtOnce, not only after limits.WatchRetry.
func TestAWatchThatIsGivenBackCanBeUsedAtOnce(t *testing.T) {
	if !child(t) {
		return
	}
	limittest.Set(t, limittest.Watches, "1")
	s := NewShared(Options{Now: func() time.Time { return time.Unix(1e9, 0) }})
	w, a, b := of(t, s), t.TempDir(), t.TempDir()
	must(t, w.Add(a))
	if err := w.Add(b); !fault.Is(err, fault.Limited) {
		t.Fatal(err)
	}
	w.Remove(a)
	must(t, w.Add(b))
	if p, polled := s.Polled(); polled {
		t.Errorf("%+v", p)
	}
}

// TestTheLimitOfOpenFilesIsNotTakenForThatOfInstances: Linux has one error for both.
func TestTheLimitOfOpenFilesIsNotTakenForThatOfInstances(t *testing.T) {
	if !child(t) {
		return
	}
	w, dir := of(t, NewShared(Options{})), t.TempDir()
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}))
	var held []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		held = append(held, f)
	}
	err := w.Add(dir)
	for _, f := range held {
		must(t, f.Close())
	}
	if !fault.Is(err, fault.Limited) || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("%v", err)
	}
	must(t, w.Add(dir))
}
