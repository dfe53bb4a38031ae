package observe

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/limittest"
)

// TestFilesAreObservedWithoutEvents: what there is to be seen does not depend on them.
func TestFilesAreObservedWithoutEvents(t *testing.T) {
	limittest.Again(t, limittest.Instances, "^(TestEverySaveIsOneChange|TestInvariant10NothingBehindALinkIsObserved)$")
}

func TestDirectoriesArePolledWhenTheWatchesAreUsedUp(t *testing.T) {
	if !limittest.Child(t) {
		return
	}
	limittest.Set(t, limittest.Watches, "2")
	files := map[string]string{sentinel: ""}
	names := []string{sentinel}
	for i := range 5 {
		name := fmt.Sprintf("d%d/f.go", i)
		files[name] = "1"
		names = append(names, name)
	}
	w := newWorld(t, files)
	w.start()
	w.read(names...)
	var want []string
	for _, n := range names[1:] {
		w.put(n, "22")
		want = append(want, "modified "+n+" observed external")
	}
	w.await(names[1:]...)
	w.want(want...)
	w.halt()
	if n := strings.Count(w.log.String(), "watched: polling"); n != 1 {
		t.Errorf("said %d times:\n%s", n, w.log.String())
	}
}

func TestDirectoriesArePolledWithoutDescriptors(t *testing.T) {
	if !limittest.Child(t) {
		return
	}
	w := newWorld(t, map[string]string{"d/a.go": "1"})
	w.read("d/a.go")
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}))
	var held []*os.File
	hold := func() {
		for {
			f, err := os.Open(os.DevNull)
			if err != nil {
				return
			}
			held = append(held, f)
		}
	}
	free := func(n int) {
		for range n {
			must(t, held[0].Close())
			held = held[1:]
		}
	}
	hold()
	free(1) // for the tree; none is left for a watcher
	ob := w.observer()
	ob.refresh(t.Context())
	if ob.ticks() == nil {
		t.Error("nothing is retried without descriptors")
	}
	if err := ob.dirs.watcher.Add(w.root); !fault.Is(err, fault.Limited) {
		t.Fatalf("there is a watcher: %v", err)
	}
	free(8) // the system is not asked for a watcher again so soon
	ob.tick(t.Context())
	if dir := ob.dirs.all["d"]; dir == nil || !dir.polled || !dir.whole || ob.ticks() == nil {
		t.Fatalf("not polled: %+v", ob.dirs.all)
	}
	w.put("d/a.go", "22")
	hold()
	ob.tick(t.Context())
	w.ripen(ob)
	w.want()
	free(8)
	ob.tick(t.Context())
	w.ripen(ob)
	w.want("modified d/a.go observed external")
	if n := strings.Count(w.log.String(), "watched: polling"); n != 1 {
		t.Errorf("said %d times:\n%s", n, w.log.String())
	}
}

// TestDirectoriesAreWatchedAgainWhenThereAreWatches: they were polled until the daemon ended. What changed meanwhile is found.
func TestDirectoriesAreWatchedAgainWhenThereAreWatches(t *testing.T) {
	if !limittest.IsChild() {
		watchable(t)
	}
	if !limittest.Child(t) {
		return
	}
	limittest.Set(t, limittest.Instances, "0")
	w := newWorld(t, map[string]string{"d/a.go": "1"})
	now := time.Now()
	w.watch = watch.NewShared(watch.Options{Now: func() time.Time { return now }})
	ob := w.observer()
	w.read("d/a.go")
	ob.refresh(t.Context())
	ob.round = ob.now().Add(-time.Minute)
	ob.tick(t.Context())
	if p, polled := w.watch.Polled(); !polled || p.Every < time.Minute || ob.ticks() == nil {
		t.Fatalf("not polled as it should be: %+v", p)
	}
	w.put("d/a.go", "22")
	limittest.Set(t, limittest.Instances, "10")
	now = now.Add(limits.WatchRetry)
	ob.tick(t.Context())
	if p, polled := w.watch.Polled(); polled || ob.dirs.polled > 0 || ob.ticks() != nil {
		t.Errorf("still polled: %+v, %d directories", p, ob.dirs.polled)
	}
	w.ripen(ob)
	w.want("modified d/a.go observed external")
	w.put("d/new.go", "1")
	select {
	case e := <-ob.dirs.events():
		ob.event(e)
	case <-time.After(patience):
		t.Fatal("no event")
	}
	w.ripen(ob)
	w.want("modified d/a.go observed external", "created d/new.go observed external")
}
