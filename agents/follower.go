package agents

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/internal/safefs"
)

const (
	// runBatches is how many batches one file may append before the others get their turn, so
	// that a live session does not wait for the import of a long one.
	runBatches = 2
	// maxImporters is how many files' states are kept between reads. The state of another one
	// is asked for again.
	maxImporters = 64
	// pollRest is how many times as long as polling took the next one waits at least.
	pollRest = 20
	// maxDrain is how many waiting events are taken in before files are read.
	maxDrain = 1024
)

// follower is the state of one Follow. It has no goroutine of its own.
type follower struct {
	watching
	adapter sessionfile.Adapter // of the agent whose sessions are followed; zero for one file
	ledger  Ledger
	o       FollowOptions
	reads   <-chan Asked
	pulse   *pulse.Pulse
	log     *slog.Logger
	only    string   // the one file to follow; "": all of the trees
	known   []string // trees of the repository
	trees   []string // those whose sessions are followed

	seen      map[string]stamp             // what a file was like when it was last read, or passed over
	due       map[string]stamp             // files to read
	failed    map[string]bool              // files to try again with the next tick
	foreign   map[string]bool              // files of sessions that ran elsewhere
	targets   map[string]string            // files that are links, and where they lead: nothing tells when these change
	logged    map[string]fault.Code        // newest error of a file
	told      map[string]bool              // directories of which it was logged that they are not read
	heads     map[string]sessionfile.About // what the beginnings of files say
	calls     map[string]requests          // of due files that begin at the same time as another one
	importers map[string]*importer
	order     []string // keys of importers, the longest unused first

	asked   []Asked  // for which somebody waits
	reading []string // forks that wait until the sessions are read that they come from

	reread int       // ticks since trees were looked for
	rested time.Time // when files are polled again
}

// requests is when a file, as it was, reports each request, by what its copies share.
type requests struct {
	of stamp
	at map[string]time.Time
}

// stamp distinguishes two states of a file.
type stamp struct {
	size     int64
	modified time.Time
}

func newFollower(api Ledger, a sessionfile.Adapter, o FollowOptions) *follower {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	shared := o.Watch
	if shared == nil {
		shared = watch.NewShared(watch.Options{Log: log, Now: o.Env.Now})
	}
	return &follower{
		watching: watching{subagents: a.Subagents, nested: a.Nested, log: log, shared: shared},
		adapter:  a, ledger: api, o: o, reads: o.Reads[a.Agent], pulse: o.Pulse, log: log,
		seen: map[string]stamp{}, due: map[string]stamp{}, failed: map[string]bool{}, foreign: map[string]bool{},
		targets: map[string]string{}, logged: map[string]fault.Code{}, told: map[string]bool{},
		heads: map[string]sessionfile.About{}, calls: map[string]requests{}, importers: map[string]*importer{},
	}
}

// loop reads what is due and waits for more, until ctx ends.
func (f *follower) loop(ctx context.Context) {
	ticks := f.o.Tick
	if ticks == nil {
		t := time.NewTicker(limits.Poll)
		defer t.Stop()
		ticks = t.C
	}
	for ctx.Err() == nil {
		if len(f.due) == 0 {
			f.pulse.Rest()
			select {
			case <-ctx.Done():
				return
			case e := <-f.events():
				f.pulse.Beat()
				f.event(e.Path, e.Rescan)
			case <-ticks:
				f.pulse.Beat()
				f.tick()
			case r := <-f.reads:
				f.pulse.Beat()
				f.ask(r)
			}
		}
		f.pulse.Beat()
		f.drain()
		f.obey()
		f.readNext(ctx)
		f.reply()
	}
}

// ask makes a file due that somebody waits for.
func (f *follower) ask(r Asked) {
	if ours, _ := f.holds(r.Path); !ours {
		f.attach()
		f.list() // its directory may be new
	}
	if f.follows(r.Path) {
		f.touch(r.Path)
	}
	f.asked = append(f.asked, r)
}

// follows reports whether a path is that of a session file of the project directories.
func (f *follower) follows(path string) bool {
	ours, subagent := f.holds(path)
	return ours && f.adapter.IsSession(filepath.Base(path)) && (!subagent || f.adapter.Identify(path, "").Subagent)
}

// reply tells those whose file was read.
func (f *follower) reply() {
	f.asked = slices.DeleteFunc(f.asked, func(r Asked) bool {
		_, due := f.due[r.Path]
		if !due {
			close(r.Done)
		}
		return !due
	})
}

// drain takes in the events that are waiting.
func (f *follower) drain() {
	for range maxDrain {
		select {
		case e := <-f.events():
			f.event(e.Path, e.Rescan)
		case r := <-f.reads:
			f.ask(r)
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
		f.list()
		f.scan(time.Time{})
	case f.only != "":
		if path == f.only {
			f.touch(path)
		}
	case f.follows(path):
		f.touch(path)
	case f.above(path):
		f.leave(path) // it may be another directory of that name: if it is there, it is entered again
		f.attach()
		f.list()
	case f.opens(path):
		f.scanSession(f.sessionOf(path))
	}
}

// tick tries again what failed, looks now and then for trees, and looks at everything when the system gives no
// events.
func (f *follower) tick() {
	for path := range f.failed {
		delete(f.seen, path)
		f.touch(path)
	}
	clear(f.failed)
	if f.reread++; f.reread >= treeTicks {
		f.list()
	}
	for path := range maps.Clone(f.targets) {
		if f.reread == 0 || f.seen[path].modified.After(f.o.Env.Now().Add(-recent)) { // the others less often
			f.touch(path)
		}
	}
	if began := f.o.Env.Now(); !f.healthy() && !began.Before(f.rested) {
		f.start()
		f.list()
		f.scan(time.Time{})
		end := f.o.Env.Now()
		rest := pollRest * end.Sub(began)
		f.rested = end.Add(rest)
		f.watcher.Polls(rest)
	}
}

// touch makes a file due if it is not as it was last seen.
func (f *follower) touch(path string) {
	info, err := f.stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return // gone, or not a file: nothing to read
	}
	if f.only == "" && f.seen[path] == (stamp{}) {
		f.watchSession(f.sessionOf(path)) // of a session that begins, or continues after a day
	}
	since := time.Time{}
	if strings.HasSuffix(path, sessionfile.PackedSuffix) {
		since = f.o.Env.Now().Add(-recent) // compressing an old one changes nothing in it
	}
	f.note(path, stamp{info.Size(), info.ModTime()}, since)
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
	delete(f.calls, path)
	f.seen[path] = was
	if im.foreign {
		f.foreign[path] = true
	}
	f.judge(ctx, path, err)
}

// judge decides what the outcome of a read means for the future.
func (f *follower) judge(ctx context.Context, path string, err error) {
	switch code := fault.CodeOf(err); code {
	case "":
		delete(f.logged, path)
	case fault.Invalid, fault.Conflict, fault.NotFound, fault.Denied, fault.TooLarge:
		// Nothing that time alone would change: the file is looked at again when it changes.
		f.logOnce(path, code, err)
	default:
		if ctx.Err() == nil {
			f.failed[path] = true
			f.logOnce(path, code, err)
		}
	}
}

// logOnce logs an error, once for each kind and file.
func (f *follower) logOnce(path string, code fault.Code, err error) {
	if f.logged[path] == code {
		return
	}
	f.logged[path] = code
	level := slog.LevelWarn
	if code == fault.Invalid || code == fault.NotFound {
		level = slog.LevelDebug // a file just begun, of another workspace, or removed
	}
	f.log.Log(context.Background(), level, "session file not read", "file", path, "err", err)
}

// report hands on what was appended.
func (f *follower) report(r Report) {
	if f.o.Report != nil && r.Entries > 0 {
		f.o.Report(r)
	}
}

// open opens a session file of one of the directories that are followed, or where a link of the user's leads. It follows no
// other link that replaced a file or directory.
func (f *follower) open(path string) (*os.File, int64, error) {
	file, info, err := safefs.OpenFound(f.base, path)
	if err != nil {
		return nil, 0, sessionfile.FileError(path, err)
	}
	return file, info.Size(), nil
}

// importer returns the importer of a file, a new one if its state is no longer kept.
func (f *follower) importer(path string) *importer {
	im := f.importers[path]
	if im == nil {
		im = f.newImporter(path)
		im.budget = runBatches
		f.importers[path] = im
	}
	f.order = append(slices.DeleteFunc(f.order, func(p string) bool { return p == path }), path)
	if len(f.order) > maxImporters {
		delete(f.importers, f.order[0])
		f.order = f.order[1:]
	}
	return im
}

// newImporter returns an importer of one of the files that are followed.
func (f *follower) newImporter(path string) *importer {
	im := newImporter(f.ledger, path)
	im.open = f.open
	if f.only == "" {
		im.adapter, im.ours, im.first = f.adapter, f.ours, f.readOrigin
	}
	return im
}

// readOrigin reads the session that another one was forked from before that: what both have counts where it is first.
func (f *follower) readOrigin(ctx context.Context, fork *importer) {
	if path := f.origin(fork.path, fork.about); path != "" {
		f.pulse.Beat() // a step of its own
		f.reading = append(f.reading, fork.path)
		rep, err := f.newImporter(path).run(ctx)
		f.reading = f.reading[:len(f.reading)-1]
		f.report(rep)
		f.judge(ctx, path, err)
	}
}

// origin returns the file of the session that another one was forked from, "" for none: the one that the fork names. Older
// versions of agents name none; then it is a file in the same directory that begins at the same time and has requests in
// common with the fork, and that was the first of the two to go on, or never did.
func (f *follower) origin(path string, fork sessionfile.About) string {
	for _, files := range []map[string]stamp{f.due, f.seen} {
		for other := range files {
			stem, _, _ := strings.Cut(filepath.Base(other), ".")
			named := fork.From != "" && (stem == fork.From || strings.HasSuffix(stem, "-"+fork.From))
			if named && other != path && !slices.Contains(f.reading, other) {
				return other
			}
		}
	}
	if fork.From != "" || fork.Start.IsZero() || fork.Identity.Subagent {
		return ""
	}
	for _, other := range slices.Sorted(maps.Keys(f.due)) {
		if other != path && filepath.Dir(other) == filepath.Dir(path) && !slices.Contains(f.reading, other) &&
			f.head(other).From == "" && f.head(other).Start.Equal(fork.Start) && f.before(other, path) {
			return other
		}
	}
	return ""
}

// before reports whether a session file has requests in common with another one, and never, or before it, went on without it.
// An audit decides the same.
func (f *follower) before(path, other string) bool {
	ours, theirs := f.requests(path), f.requests(other)
	alone := func(in, out map[string]time.Time) (first time.Time, all bool) {
		all = true
		for id, at := range in {
			if _, shared := out[id]; shared {
				all = false
			} else if first.IsZero() || at.Before(first) {
				first = at
			}
		}
		return first, all
	}
	us, apart := alone(ours, theirs)
	them, _ := alone(theirs, ours)
	return !apart && cmp.Or(us.Compare(them), strings.Compare(path, other)) < 0
}

// requests returns when a file reports each request. It reads a file once for all that are compared with it: hundreds may
// begin at the same time, where a program started them.
func (f *follower) requests(path string) map[string]time.Time {
	known, is := f.calls[path], f.due[path]
	if known.at == nil || known.of != is {
		known = requests{is, f.readRequests(path)}
		f.calls[path] = known
	}
	return known.at
}

// readRequests reads the requests of a file. What cannot be read has none.
func (f *follower) readRequests(path string) map[string]time.Time {
	out := map[string]time.Time{}
	file, _, err := f.open(path)
	if err != nil {
		return out
	}
	defer file.Close() // opened for reading
	all, err := sessionfile.Unpacked(file)
	if err != nil {
		return out
	}
	in := io.NewSectionReader(all, 0, math.MaxInt64)
	for r, err := range sessionfile.Records(in, sessionfile.Position{}, f.adapter.Skim(path)) {
		if err != nil {
			return out
		}
		if _, known := out[r.Copy]; !known && r.Repeats == nil && r.Copy != "" && r.Request() != nil {
			out[r.Copy] = r.Time
		}
	}
	return out
}

// head returns what the beginning of a file says, nothing if it cannot be read.
func (f *follower) head(path string) sessionfile.About {
	about, known := f.heads[path]
	if known {
		return about
	}
	file, _, err := f.open(path)
	if err != nil {
		return about
	}
	defer file.Close() // opened for reading
	if all, err := sessionfile.Unpacked(file); err == nil {
		about, _ = f.adapter.About(path, all) // what cannot be read has none
		f.heads[path] = about
	}
	return about
}
