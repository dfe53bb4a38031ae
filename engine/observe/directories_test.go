package observe

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// observer returns an observer whose loop the test takes the place of.
func (w *world) observer() *observer {
	w.t.Helper()
	info, err := w.l.Info(w.t.Context(), ledger.InfoRequest{})
	must(w.t, err)
	log := slog.New(slog.NewTextHandler(&w.log, nil))
	if w.watch == nil {
		w.watch = watch.NewShared(watch.Options{Log: log, Now: time.Now})
	}
	ob, err := newObserver(w, info.State, scope{root: w.root, own: true},
		Options{Env: env.System(), Log: log, Watch: w.watch})
	must(w.t, err)
	w.t.Cleanup(func() { ob.close() })
	return ob
}

// watchable skips a test of watching where the system has no watcher to give.
func watchable(t *testing.T) {
	t.Helper()
	w := watch.NewShared(watch.Options{}).New()
	defer w.Close() // nothing was lost
	if err := w.Add(t.TempDir()); fault.Is(err, fault.Limited) {
		t.Skipf("nothing can be watched here: %v", err)
	}
}

// ripen makes everything that is due ripe, and looks at it.
func (w *world) ripen(ob *observer) {
	for p, x := range ob.due.waiting {
		x.first = x.first.Add(-time.Hour)
		ob.due.waiting[p] = x
	}
	ob.flush(w.t.Context())
}

func TestLostEventsLeadToARescan(t *testing.T) {
	w := newWorld(t, map[string]string{"d/a.go": "1", "d/b.go": "1", "d/c.go": "1", "d/same.go": "1"})
	must(t, os.Chtimes(w.path("d/same.go"), time.Time{}, time.Now().Add(-time.Hour)))
	ob := w.observer()
	w.read("d/a.go", "d/b.go")
	ob.refresh(t.Context())
	must(t, ob.dirs.close()) // no events of what follows
	w.put("d/a.go", "22")
	w.put("d/c.go", "22")
	w.put("d/e.go", "22")
	w.put("d/new/f.go", "22")
	must(t, os.Remove(w.path("d/b.go")))
	ob.event(watch.Event{Rescan: true})
	if _, due := ob.due.waiting["d/same.go"]; due || len(ob.due.waiting) != 5 {
		t.Errorf("due: %v", ob.due.waiting)
	}
	w.ripen(ob)
	w.ripen(ob) // what the first looks have found
	w.want("modified d/a.go observed external", "deleted d/b.go observed external", "modified d/c.go observed external",
		"created d/e.go observed external", "created d/new/f.go observed external")
}

// TestWhatIsNoFileAnyMoreIsFoundWithoutEvents: a file that another kind of thing replaced was taken for unchanged wherever
// directories are polled or events were lost.
func TestWhatIsNoFileAnyMoreIsFoundWithoutEvents(t *testing.T) {
	w := newWorld(t, map[string]string{"d/a.go": "1", "d/b.go": "1", "d/c.go": "1", "d/same.go": "1"})
	must(t, os.Chtimes(w.path("d/same.go"), time.Time{}, time.Now().Add(-time.Hour)))
	ob := w.observer()
	w.read("d/a.go", "d/b.go", "d/c.go")
	ob.refresh(t.Context())
	must(t, ob.dirs.close()) // no events of what follows
	for _, name := range []string{"d/a.go", "d/b.go"} {
		must(t, os.Remove(w.path(name)))
	}
	must(t, os.Mkdir(w.path("d/a.go"), 0o700))
	if err := os.Symlink(t.TempDir(), w.path("d/b.go")); err != nil {
		t.Skip(err)
	}
	ob.event(watch.Event{Rescan: true})
	w.ripen(ob)
	w.want("deleted d/a.go observed external", "deleted d/b.go observed external")
}

func TestMorePathsThanCanWaitLeadToARescan(t *testing.T) {
	w := newWorld(t, map[string]string{"d/a.go": "1"})
	ob := w.observer()
	w.read("d/a.go")
	ob.refresh(t.Context())
	for i := range maxWaiting {
		ob.due.add(fmt.Sprint(i), time.Now())
	}
	w.put("d/a.go", "22")
	ob.event(watch.Event{Path: w.path("d/x.go")})
	if _, due := ob.due.waiting["d/a.go"]; !due || len(ob.due.waiting) > 2 {
		t.Errorf("%d paths wait, of which d/a.go: %v", len(ob.due.waiting), due)
	}
}

func TestTheDirectoryTouchedLongestAgoMakesRoom(t *testing.T) {
	watchable(t)
	w := newWorld(t, map[string]string{"a/f": "", "b/f": "", "c/f": "", "d/f": "", "d/g": "", "e/f": ""})
	ob := w.observer()
	ob.dirs.budget = 3
	held := func() string {
		var names []string
		for n := range ob.dirs.all {
			names = append(names, n)
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	for _, step := range []struct{ enter, want string }{
		{"a", "a"}, {"b", "a b"}, {"c", "a b c"}, {"a", "a b c"}, {"d", "a c d"}, {"none", "a c d"}, {"e", "a d e"},
	} {
		if ob.dirs.enter(step.enter); held() != step.want {
			t.Errorf("after %s: %s, want %s", step.enter, held(), step.want)
		}
	}
	if ob.dirs.spent != 3 || ob.dirs.stamps != 4 || ob.dirs.polled != 0 {
		t.Errorf("spent %d, stamps %d, polled %d", ob.dirs.spent, ob.dirs.stamps, ob.dirs.polled)
	}
	ob.dirs.perFile = true // as with kqueue: a directory costs its files too
	ob.dirs.enter("b")
	if held() != "b e" || ob.dirs.spent != 3 {
		t.Errorf("with files: %s, spent %d", held(), ob.dirs.spent)
	}
	ob.dirs.budget = 2
	ob.dirs.enter("d")
	if held() != "d" || ob.dirs.polled != 1 {
		t.Errorf("one that costs more than there is: %s, polled %d", held(), ob.dirs.polled)
	}
	ob.dirs.leave("d")
	if ob.dirs.spent != 0 || ob.dirs.stamps != 0 || ob.dirs.polled != 0 {
		t.Errorf("in the end: spent %d, stamps %d, polled %d", ob.dirs.spent, ob.dirs.stamps, ob.dirs.polled)
	}
}

func TestBudgetsOfThePlatforms(t *testing.T) {
	for goos, want := range map[string]string{"linux": "4096 false", "darwin": "512 true", "freebsd": "512 true",
		"windows": "128 false"} {
		most, perFile := watchBudget(goos)
		if got := fmt.Sprint(most, " ", perFile); got != want {
			t.Errorf("%s: %s, want %s", goos, got, want)
		}
	}
}

func TestAPathIsLookedAtWhenItHasComeToRest(t *testing.T) {
	var d due
	t0 := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	ms := func(n int) time.Time { return t0.Add(time.Duration(n) * time.Millisecond) }
	d.add("a", t0)
	d.add("a", ms(60))
	for i := range 30 {
		d.add("b", ms(50*i))
	}
	for at, want := range map[int]int{159: 0, 160: 1, 999: 1, 1000: 2} {
		c := due{waiting: map[string]waiting{"a": d.waiting["a"], "b": d.waiting["b"]}}
		if got := c.take(ms(at)); len(got) != want {
			t.Errorf("after %d ms: %v", at, got)
		}
	}
	if wait, some := d.next(t0); !some || wait != 160*time.Millisecond {
		t.Errorf("next in %v, %v", wait, some)
	}
	got := d.take(ms(160))
	if at, ok := got["a"]; !ok || !at.Equal(t0) {
		t.Errorf("noticed %v", got)
	}
}

func TestAFileThatKeepsChangingIsLookedAtLessOften(t *testing.T) {
	var d due
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	var waits []time.Duration
	for range 20 {
		d.add("log", now)
		wait, _ := d.next(now)
		waits = append(waits, wait)
		now = now.Add(wait)
		d.take(now)
		d.changed("log", now)
	}
	if waits[0] != quiet || waits[freeLooks] != quiet || waits[freeLooks+1] != brake ||
		waits[freeLooks+3] != 4*brake || waits[19] != maxBrake {
		t.Errorf("waits %v", waits)
	}
	now = now.Add(calm + 1)
	d.changed("log", now)
	d.add("log", now)
	if wait, _ := d.next(now); wait != quiet {
		t.Errorf("after a calm time %v", wait)
	}
}

func TestOnlyTouchedDirectoriesAreRead(t *testing.T) {
	files := map[string]string{}
	for d := range 100 {
		for f := range 20 {
			files[fmt.Sprintf("d%02d/f%02d", d, f)] = "x"
		}
	}
	w := newWorld(t, files)
	ob := w.observer()
	ob.refresh(t.Context())
	if len(ob.dirs.all) != 0 {
		t.Errorf("without sessions %d directories are watched", len(ob.dirs.all))
	}
	w.read("d05/f01", "d07/f02", "gone/x")
	ob.refresh(t.Context())
	if len(ob.dirs.all) != 2 || ob.dirs.stamps != 40 {
		t.Errorf("%d directories with %d files", len(ob.dirs.all), ob.dirs.stamps)
	}
}
