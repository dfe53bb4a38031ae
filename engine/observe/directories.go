package observe

import (
	"log/slog"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// Bounds of what is kept of directories.
const (
	maxEntries = 10_000 // entries of one directory: a fuller one is watched without knowing what was there
	maxStamps  = 65_536 // files that are remembered in all: some 10 MB
	maxGrown   = 256    // directories that appeared inside watched ones
	maxNew     = 500    // entries of a new directory: a fuller one was unpacked or generated
)

// watchBudget returns how many watches may be used on a platform, and whether every file in a directory
// costs one as well: kqueue opens each, and macOS gives a process few descriptors. Windows keeps a
// buffer of 64 KB for each directory.
func watchBudget(goos string) (most int, perFile bool) {
	switch goos {
	case "linux":
		return 4096, false
	case "windows":
		return 128, false
	default:
		return 512, true
	}
}

// stamp is the state of a file when it was last examined. Files with equal size and time are the same, unless the time is
// so recent that the file may have been written again since.
type stamp struct{ size, modified, looked int64 }

func (s stamp) same(info safefs.Info) bool {
	const tick = int64(2 * time.Second) // the coarsest clock of a file system
	return s.size == info.Size && s.modified == info.Modified && s.looked-s.modified > tick
}

// directory is one that is watched.
type directory struct {
	files  map[string]stamp    // what was last seen of its files
	subs   map[string]struct{} // directories in it
	whole  bool                // files and subs have all that was there
	listed time.Time           // since when it is watched
	unread bool                // it could not be read, which may pass
	polled bool                // the system gives no events of it
	grown  bool                // it appeared inside a watched one
	cost   int
	used   int64
}

// has reports whether a file of a name was seen in the directory.
func (d *directory) has(base string) bool { _, had := d.files[base]; return had }

// directories are the watched ones, by their paths in the tree. The number of watches is limited; the least recently
// touched directory is evicted for another.
type directories struct {
	root    string
	tree    *safefs.Tree
	log     *slog.Logger
	watcher *watch.Watcher
	all     map[string]*directory
	budget  int
	parts   *atomic.Int64 // how many trees share the budgets; nil: no other
	perFile bool
	spent   int
	stamps  int
	grown   int
	polled  int
	uses    int64
	warned  bool // that directories are polled
	now     func() time.Time
}

func newDirectories(root string, tree *safefs.Tree, o Options) *directories {
	d := &directories{root: root, tree: tree, log: o.Log, now: o.Env.Now, all: map[string]*directory{}}
	d.budget, d.perFile = watchBudget(runtime.GOOS)
	d.watcher = o.Watch.New()
	return d
}

// part returns this tree's part of a budget.
func (d *directories) part(budget int) int {
	if d.parts == nil {
		return budget
	}
	return budget / max(1, int(d.parts.Load()))
}

// most returns how many watches may be used.
func (d *directories) most() int { return d.part(d.budget) }

func (d *directories) close() error { return d.watcher.Close() }

// events returns the channel of events.
func (d *directories) events() <-chan watch.Event { return d.watcher.Events() }

// enter watches a directory and reads what is in it, if it is one. One that is known counts as touched.
func (d *directories) enter(name string) {
	d.uses++
	if dir := d.all[name]; dir != nil {
		dir.used = d.uses
		if dir.polled {
			d.watch(name, dir)
		}
		if dir.unread {
			d.read(name, dir)
		}
		return
	}
	d.add(name, false)
}

// grow watches a directory that has appeared: all that is in it is new.
func (d *directories) grow(name string) bool {
	if d.grown >= min(d.part(maxGrown), d.most()/4) {
		return false
	}
	d.uses++
	return d.add(name, true)
}

// add watches a directory, and reports whether it is there. What is in it is read after the watching has
// begun, so that nothing is missed between.
func (d *directories) add(name string, grown bool) bool {
	info, err := d.tree.Stat(name)
	if err != nil || info.Kind != safefs.Dir {
		return false
	}
	dir := &directory{
		files: map[string]stamp{}, subs: map[string]struct{}{}, cost: 1, used: d.uses, listed: d.now(),
		grown: grown, whole: grown, polled: true,
	}
	if d.perFile {
		entries, _, _ := d.tree.List(name, maxEntries) // what cannot be read costs nothing
		dir.cost += len(entries)
	}
	d.evict(min(dir.cost, d.most()))
	d.all[name] = dir
	d.spent += dir.cost
	d.polled++
	if grown {
		d.grown++
	}
	d.watch(name, dir)
	if !grown {
		d.read(name, dir)
	}
	return true
}

// watch asks the system for events of a directory; where it gives none the directory is polled.
func (d *directories) watch(name string, dir *directory) {
	if dir.cost > d.most() {
		return
	}
	err := d.watcher.Add(filepath.Join(d.root, filepath.FromSlash(name)))
	if err != nil {
		d.warn(err)
		return
	}
	if dir.polled {
		dir.polled = false
		d.polled--
	}
}

// rewatch renews the watch of a directory whose path may lead to another one by now.
func (d *directories) rewatch(name string) {
	dir := d.all[name]
	if dir.polled {
		return
	}
	d.watcher.Remove(filepath.Join(d.root, filepath.FromSlash(name)))
	dir.polled = true
	d.polled++
	d.watch(name, dir)
}

// warn logs once why directories are polled. A limit is logged where all watchers share it.
func (d *directories) warn(err error) {
	if d.warned || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Limited) {
		return
	}
	d.warned = true
	d.log.Warn("not all directories can be watched: polling", "error", err)
}

// read notes what is in a directory.
func (d *directories) read(name string, dir *directory) {
	entries, more, err := d.tree.List(name, maxEntries)
	dir.unread = err != nil
	if err != nil || more || d.stamps+len(entries) > d.part(maxStamps) {
		return
	}
	dir.whole = true
	for _, e := range entries {
		switch e.Kind {
		case safefs.File:
			d.note(dir, e.Name, &stamp{e.Size, e.Modified, dir.listed.UnixNano()})
		case safefs.Dir:
			dir.subs[e.Name] = struct{}{}
		}
	}
}

// note remembers what a file was like; nil: it is not there.
func (d *directories) note(dir *directory, base string, s *stamp) {
	_, had := dir.files[base]
	switch {
	case s == nil && had:
		delete(dir.files, base)
		d.stamps--
	case s != nil && (had || d.stamps < d.part(maxStamps)):
		dir.files[base] = *s
		if !had {
			d.stamps++
		}
	case s != nil:
		dir.whole = false
	}
}

// evict drops the least recently used directories until one that costs so much fits.
func (d *directories) evict(cost int) {
	for len(d.all) > 0 && (d.spent+cost > d.most() || d.stamps > d.part(maxStamps)) {
		oldest, least := "", int64(-1)
		for name, dir := range d.all {
			if least < 0 || dir.used < least {
				oldest, least = name, dir.used
			}
		}
		d.leave(oldest)
	}
}

// leave stops watching one directory.
func (d *directories) leave(name string) {
	dir := d.all[name]
	d.watcher.Remove(filepath.Join(d.root, filepath.FromSlash(name)))
	delete(d.all, name)
	d.spent -= dir.cost
	d.stamps -= len(dir.files)
	if dir.polled {
		d.polled--
	}
	if dir.grown {
		d.grown--
	}
}

// gone stops watching a deleted directory and all below it, and returns the files that were seen there.
func (d *directories) gone(name string) []string {
	var files []string
	for other, dir := range d.all {
		if other != name && !strings.HasPrefix(other, name+"/") {
			continue
		}
		for base := range dir.files {
			files = append(files, path.Join(other, base))
		}
		d.leave(other)
	}
	return files
}

// differing returns the entries of a directory that differ from what was last seen, and how many were examined.
func (d *directories) differing(name string) (bases []string, looked int) {
	dir := d.all[name]
	most := maxEntries
	if dir.grown {
		most = maxNew
	}
	entries, more, err := d.tree.List(name, most)
	if err != nil {
		return nil, 1
	}
	if more {
		for base := range dir.files {
			bases = append(bases, base) // whether they changed is found when they are examined
		}
		return bases, len(bases) + 1
	}
	there := make(map[string]bool, len(entries))
	for _, e := range entries {
		there[e.Name] = true
		s, had := dir.files[e.Name]
		_, sub := dir.subs[e.Name]
		isFile := e.Kind == safefs.File
		if isFile && !had && dir.whole || had && (!isFile || !s.same(e.Info)) ||
			e.Kind == safefs.Dir && !e.Link && !sub && dir.whole {
			bases = append(bases, e.Name)
		}
	}
	for base := range dir.files {
		if !there[base] {
			bases = append(bases, base)
		}
	}
	for base := range dir.subs {
		if !there[base] {
			bases = append(bases, base)
		}
	}
	return bases, len(entries) + 1
}
