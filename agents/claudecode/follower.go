package claudecode

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

const (
	// runBatches is how many batches one file may append before the others get their turn, so
	// that a live session does not wait for the import of a long one.
	runBatches = 2
	// maxImporters is how many files' states are kept between reads. The state of another one
	// is asked for again.
	maxImporters = 64
	// maxDrain is how many waiting events are taken in before files are read.
	maxDrain = 1024
)

// follower is the state of one Follow. It has no goroutine of its own.
type follower struct {
	watching
	ledger Ledger
	o      FollowOptions
	log    *slog.Logger
	only   string // the one file to follow; "": all of the directory

	seen      map[string]stamp // what a file was like when it was last read, or passed over
	due       map[string]stamp // files to read
	failed    map[string]bool  // files to try again with the next tick
	told      map[string]fault.Code
	importers map[string]*importer
	order     []string // keys of importers, the longest unused first
}

// stamp tells two states of a file apart.
type stamp struct {
	size     int64
	modified time.Time
}

func newFollower(ledger Ledger, o FollowOptions) *follower {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &follower{
		watching: watching{log: log}, ledger: ledger, o: o, log: log,
		seen: map[string]stamp{}, due: map[string]stamp{}, failed: map[string]bool{},
		told: map[string]fault.Code{}, importers: map[string]*importer{},
	}
}

// loop reads what is due and waits for more, until ctx ends.
func (f *follower) loop(ctx context.Context) {
	ticks := f.o.Tick
	if ticks == nil {
		t := time.NewTicker(tick)
		defer t.Stop()
		ticks = t.C
	}
	for ctx.Err() == nil {
		if len(f.due) == 0 {
			f.o.Pulse.Rest()
			select {
			case <-ctx.Done():
				return
			case e := <-f.events():
				f.o.Pulse.Beat()
				f.event(e.Path, e.Rescan)
			case <-ticks:
				f.o.Pulse.Beat()
				f.tick()
			}
		}
		f.o.Pulse.Beat()
		f.drain()
		f.readNext(ctx)
	}
}

// drain takes in the events that are waiting.
func (f *follower) drain() {
	for range maxDrain {
		select {
		case e := <-f.events():
			f.event(e.Path, e.Rescan)
		default:
			return
		}
	}
}

// event notes that a path may have changed.
func (f *follower) event(path string, rescan bool) {
	switch {
	case rescan:
		f.attach()
		f.scan(time.Time{})
	case f.only != "":
		if path == f.only {
			f.touch(path)
		}
	case isSessionFile(path) && f.holds(path):
		f.touch(path)
	case f.concerns(path):
		f.attach()
		f.scan(time.Time{})
	}
}

// tick tries again what failed, and looks at everything when the system gives no events.
func (f *follower) tick() {
	for path := range f.failed {
		delete(f.seen, path)
		f.touch(path)
	}
	clear(f.failed)
	if !f.healthy() {
		f.start()
		f.scan(time.Time{})
	}
}

// scan makes every file due that is not as it was last seen. Files not seen before and not
// modified since the given time are only noted.
func (f *follower) scan(since time.Time) {
	if f.only != "" {
		f.touch(f.only)
		return
	}
	files, err := Files(f.dir)
	if err != nil {
		f.log.Warn("session files cannot be listed", "dir", f.dir, "err", err)
		return
	}
	there := make(map[string]bool, len(files))
	for _, file := range files {
		there[file.Path] = true
		now := stamp{file.Size, file.Modified}
		switch old, ok := f.seen[file.Path]; {
		case !ok && file.Modified.Before(since):
			f.seen[file.Path] = now
		case !ok || old != now:
			f.due[file.Path] = now
		}
	}
	maps.DeleteFunc(f.seen, func(path string, _ stamp) bool { return !there[path] })
	maps.DeleteFunc(f.told, func(path string, _ fault.Code) bool { return !there[path] })
	f.watchBelow()
}

// touch makes a file due if it is not as it was last seen.
func (f *follower) touch(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return // gone, or not a file: nothing to read
	}
	if now := (stamp{info.Size(), info.ModTime()}); f.seen[path] != now {
		f.due[path] = now
	}
}

// readNext reads one of the due files, the one that was written last.
func (f *follower) readNext(ctx context.Context) {
	if len(f.due) == 0 || ctx.Err() != nil {
		return
	}
	path := slices.MaxFunc(slices.Sorted(maps.Keys(f.due)), func(a, b string) int {
		return f.due[a].modified.Compare(f.due[b].modified)
	})
	was := f.due[path]
	im := f.importer(path)
	rep, err := im.run(ctx)
	f.report(rep)
	if err == nil && im.more {
		was.modified = time.Time{} // the others first
		f.due[path] = was
		return
	}
	delete(f.due, path)
	f.seen[path] = was
	f.judge(ctx, path, err)
}

// judge decides what the outcome of a read means for the future.
func (f *follower) judge(ctx context.Context, path string, err error) {
	switch code := fault.CodeOf(err); code {
	case "":
		delete(f.told, path)
	case fault.Invalid, fault.Conflict, fault.NotFound, fault.Denied, fault.TooLarge:
		// Nothing that time alone would change: the file is looked at again when it changes.
		f.tell(path, code, err)
	default:
		if ctx.Err() == nil {
			f.failed[path] = true
			f.tell(path, code, err)
		}
	}
}

// tell logs an error, once for each kind and file.
func (f *follower) tell(path string, code fault.Code, err error) {
	if f.told[path] == code {
		return
	}
	f.told[path] = code
	level := slog.LevelWarn
	if code == fault.Invalid || code == fault.NotFound {
		level = slog.LevelDebug // a file just begun, of somebody else, or removed
	}
	f.log.Log(context.Background(), level, "session file not read", "file", path, "err", err)
}

// report hands on what was appended.
func (f *follower) report(r Report) {
	if f.o.Report != nil && r.Entries > 0 {
		f.o.Report(r)
	}
}

// open opens a session file inside of the project directory: no link that came to stand in the place of a file
// or directory leads elsewhere.
func (f *follower) open(path string) (*os.File, int64, error) {
	tree, err := safefs.Open(f.dir)
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	defer tree.Close() //nolint:errcheck // the file stays open
	rel, err := filepath.Rel(f.dir, path)
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	file, info, err := tree.Open(filepath.ToSlash(rel))
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	return file, info.Size(), nil
}

// importer returns the importer of a file, a new one if its state is no longer kept.
func (f *follower) importer(path string) *importer {
	im := f.importers[path]
	if im == nil {
		im = newImporter(f.ledger, path)
		im.open = f.open
		im.workspace, im.budget = f.o.Workspace, runBatches
		f.importers[path] = im
	}
	f.order = append(slices.DeleteFunc(f.order, func(p string) bool { return p == path }), path)
	if len(f.order) > maxImporters {
		delete(f.importers, f.order[0])
		f.order = f.order[1:]
	}
	return im
}
