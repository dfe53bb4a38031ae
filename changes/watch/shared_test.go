package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// quietUntil reads events until one of path comes, and fails for one of another path.
func quietUntil(t *testing.T, w *Watcher, path string, not string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case e := <-w.Events():
			if e.Path == not {
				t.Fatalf("an event of %s", not)
			}
			if e.Path == path {
				return
			}
		case <-deadline:
			t.Fatalf("no event of %s", path)
		}
	}
}

func TestWatchersOfOneDirectoryDoNotAffectEachOther(t *testing.T) {
	for name, end := range map[string]func(w *Watcher, dir string) error{
		"removed": func(w *Watcher, dir string) error { w.Remove(dir); return nil },
		"closed":  func(w *Watcher, _ string) error { return w.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir, other := share(t), t.TempDir(), t.TempDir()
			first, second := of(t, s), of(t, s)
			for _, w := range []*Watcher{first, second} {
				must(t, w.Add(dir))
				must(t, w.Add(dir))
			}
			must(t, first.Add(other))
			both := filepath.Join(dir, "both")
			put(t, both, "x")
			await(t, first, both)
			await(t, second, both)
			must(t, end(first, dir))
			one := filepath.Join(dir, "one")
			put(t, one, "x")
			await(t, second, one)
			if name == "removed" {
				put(t, filepath.Join(other, "f"), "x")
				quietUntil(t, first, filepath.Join(other, "f"), one)
			}
			must(t, second.Add(other))
			put(t, filepath.Join(other, "g"), "x")
			await(t, second, filepath.Join(other, "g"))
		})
	}
}

func TestAWatcherThatNobodyReadsHoldsNobodyUp(t *testing.T) {
	s, dir := share(t), t.TempDir()
	slow, prompt := of(t, s), of(t, s)
	must(t, slow.Add(dir))
	must(t, prompt.Add(dir))
	for i := range queueLen + 10 {
		path := filepath.Join(dir, fmt.Sprint(i))
		put(t, path, "x")
		await(t, prompt, path)
	}
	if e := <-slow.Events(); !e.Rescan {
		t.Errorf("the slow one read %+v", e)
	}
}

func TestLostEventsLeadToARescanForEveryWatcher(t *testing.T) {
	s := share(t)
	all := []*Watcher{of(t, s), of(t, s), of(t, s)}
	s.system.Errors <- os.ErrDeadlineExceeded
	for i, w := range all {
		select {
		case e := <-w.Events():
			if !e.Rescan {
				t.Errorf("%d: %+v", i, e)
			}
		case <-time.After(patience):
			t.Fatalf("%d: no event", i)
		}
	}
}

// TestADirectoryWithSeveralNames: Linux watches a directory once, and the events name it as it was first told.
func TestADirectoryWithSeveralNames(t *testing.T) {
	s, dir := share(t), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	first, second := of(t, s), of(t, s)
	must(t, first.Add(link))
	must(t, second.Add(dir))
	must(t, second.Add(link))
	put(t, filepath.Join(dir, "a"), "x")
	await(t, first, filepath.Join(link, "a"))
	for _, name := range []string{dir, link} {
		put(t, filepath.Join(dir, "b"), time.Now().String())
		await(t, second, filepath.Join(name, "b"))
	}
	first.Remove(link) // the name that the system was told
	second.Remove(link)
	put(t, filepath.Join(dir, "c"), "x")
	await(t, second, filepath.Join(dir, "c"))
}

// TestADirectoryThatWasRenamedIsWatchedUnderItsNewName although another watcher has not looked yet: the system still has it
// under the old one.
func TestADirectoryThatWasRenamedIsWatchedUnderItsNewName(t *testing.T) {
	for i := range 50 {
		s, top := share(t), t.TempDir()
		first, second := of(t, s), of(t, s)
		was, is := filepath.Join(top, "was"), filepath.Join(top, "is")
		must(t, os.Mkdir(was, 0o700))
		for _, w := range []*Watcher{first, second} {
			must(t, w.Add(top))
			must(t, w.Add(was))
		}
		must(t, os.Rename(was, is))
		must(t, first.Add(is)) // at once
		path := filepath.Join(is, fmt.Sprint(i))
		put(t, path, "x")
		await(t, first, path)
		await(t, second, was)
		must(t, second.Add(is))
		again := filepath.Join(is, "again")
		put(t, again, "x")
		await(t, first, again)
		await(t, second, again)
	}
}

// TestADirectoryThatReplacedAnotherIsWatchedForAll, when one watcher adds it.
func TestADirectoryThatReplacedAnotherIsWatchedForAll(t *testing.T) {
	s, top := share(t), t.TempDir()
	first, second := of(t, s), of(t, s)
	dir, other := filepath.Join(top, "d"), filepath.Join(top, "other")
	must(t, os.Mkdir(dir, 0o700))
	must(t, first.Add(dir))
	must(t, second.Add(dir))
	must(t, os.Mkdir(other, 0o700))
	must(t, os.Rename(dir, filepath.Join(top, "old")))
	must(t, os.Rename(other, dir))
	must(t, first.Add(dir))
	await(t, second, dir)
	path := filepath.Join(dir, "f")
	put(t, path, "x")
	await(t, first, path)
	await(t, second, path)
}

// TestWatchersWorkAtTheSameTime on directories that are replaced meanwhile; in the end each hears of what it adds.
func TestWatchersWorkAtTheSameTime(t *testing.T) {
	s, top := share(t), t.TempDir()
	dir := func(i int) string { return filepath.Join(top, fmt.Sprint("d", i%3)) }
	var work sync.WaitGroup
	all := []*Watcher{of(t, s), of(t, s), of(t, s), of(t, s)}
	for n, w := range all {
		work.Go(func() {
			for i := range 200 {
				switch (i + n) % 4 {
				case 0:
					_ = os.Mkdir(dir(i), 0o700) // others make and move it, too
				case 1:
					_ = os.Rename(dir(i), filepath.Join(top, fmt.Sprint("gone", n, "-", i)))
				case 2:
					w.Remove(dir(i + 1))
				}
				_ = w.Add(dir(i)) // it may not be there
			}
			other := s.New()
			_ = other.Add(dir(n))
			if err := other.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	for i := range 3 {
		_ = os.Mkdir(dir(i), 0o700) // it may be there
		for _, w := range all {
			must(t, w.Add(dir(i)))
		}
	}
	for i := range 3 {
		path := filepath.Join(dir(i), "last")
		put(t, path, "x")
		for _, w := range all {
			await(t, w, path)
		}
	}
	if len(s.homeless) > 0 || len(s.missed) > 0 || len(s.targets.byPath) > 3+1 {
		t.Errorf("left: %d homeless, %d missed, %d targets", len(s.homeless), len(s.missed), len(s.targets.byPath))
	}
}

// FuzzWhoWatchesADirectoryHearsOfIt: whatever watchers add and remove, and however directories come, go and are renamed
// under them, a change in a directory that one has added since leads to an event, by the name that it gave.
func FuzzWhoWatchesADirectoryHearsOfIt(f *testing.F) {
	f.Add([]byte{0x00, 0x10, 0x01, 0x11, 0x20, 0x02, 0x31, 0x12, 0x40, 0x03, 0x50, 0x00})
	f.Add([]byte{0x00, 0x01, 0x02, 0x30, 0x00, 0x11, 0x21, 0x41, 0x01, 0x51, 0x11, 0x60, 0x01})
	f.Add([]byte{0x03, 0x13, 0x00, 0x33, 0x03, 0x23, 0x43, 0x13, 0x53, 0x23, 0x63, 0x04, 0x14})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 40 {
			return
		}
		m := newModel(t)
		for _, op := range ops {
			m.step(op)
		}
		m.check()
	})
}

// model is what the watchers of a fuzzed run have to hear of.
type model struct {
	t     *testing.T
	top   string
	all   []*Watcher
	added []map[string]bool // by watcher, the names that were added and have not been disturbed since
	n     int
}

func newModel(t *testing.T) *model {
	s := share(t)
	m := &model{t: t, top: t.TempDir()}
	for range 3 {
		m.all, m.added = append(m.all, of(t, s)), append(m.added, map[string]bool{})
	}
	for i := range 4 {
		must(t, os.Mkdir(m.dir(i), 0o700))
	}
	if err := os.Symlink(m.dir(0), m.dir(4)); err != nil {
		t.Skip(err)
	}
	return m
}

func (m *model) dir(i int) string { return filepath.Join(m.top, fmt.Sprint("d", i)) }

// step does one thing: which is in the upper half of op, with which directory in the lower one. The last is a link to the
// first.
func (m *model) step(op byte) {
	i := int(op&15) % 5
	dir := m.dir(i)
	switch what := int(op>>4) % 7; what {
	case 0, 1, 2:
		if err := m.all[what].Add(dir); err == nil {
			m.added[what][dir] = true
		}
	case 3:
		w := int(op>>4) % 3
		m.all[w].Remove(dir)
		delete(m.added[w], dir)
	case 4, 5: // renamed, or deleted
		if i == 4 {
			return
		}
		m.n++
		if what == 4 {
			_ = os.Rename(dir, filepath.Join(m.top, fmt.Sprint("gone", m.n))) // it may be gone already
		} else {
			_ = os.RemoveAll(dir)
		}
		m.disturb(dir)
	case 6:
		_ = os.Mkdir(dir, 0o700) // it may be there
	}
}

// disturb takes back what was promised of a directory, and of the link to it.
func (m *model) disturb(dir string) {
	for _, names := range m.added {
		delete(names, dir)
		if dir == m.dir(0) {
			delete(names, m.dir(4))
		}
	}
}

// check changes every directory and waits for those who watch it.
func (m *model) check() {
	m.t.Helper()
	for i := range 5 {
		for w, names := range m.added {
			if !names[m.dir(i)] {
				continue
			}
			m.n++
			path := filepath.Join(m.dir(i), fmt.Sprint("f", m.n))
			put(m.t, path, "x")
			await(m.t, m.all[w], path)
		}
	}
}
