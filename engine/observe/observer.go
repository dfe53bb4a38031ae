package observe

import (
	"context"
	"log/slog"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/changes"
	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/ignore"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
)

const (
	// pollMost is how many directory entries one tick examines.
	pollMost = 5_000
	// maxNamed bounds the paths of touched files that are remembered.
	maxNamed = 20_000
	// share and breath bound the cost of refreshing while sessions grow continuously: it takes at most 1/share of the
	// time, with pauses of at least breath. A single update is handled at once.
	share  = 10
	breath = 10 * time.Millisecond
	// maxDrain is how many waiting events are handled before files are examined.
	maxDrain = 1024
)

// observer observes one scope. It has no goroutine of its own.
type observer struct {
	o       Options
	scope   scope
	ledger  Ledger
	log     *slog.Logger
	tree    *safefs.Tree
	dirs    *directories
	state   string // the ledger's own directory as a path in the tree; "": it is elsewhere
	started time.Time

	due    due
	named  map[string]bool // files that sessions touched: observed even if git ignores them
	cursor int64           // of Touched
	erased int64           // as Touched says
	rested time.Time       // when updates are handled again
	again  bool            // something failed: the next tick refreshes all touched files
	retry  map[string]bool // single paths to retry at the next tick
	polls  []string        // directories still to be polled in this round
	round  time.Time       // when the round began
	ticker *time.Ticker    // runs while there is anything to poll or to retry
}

// newObserver returns an observer of a scope; state is the directory of the ledger.
func newObserver(api Ledger, state string, s scope, o Options) (*observer, error) {
	tree, err := safefs.Open(s.root)
	if err != nil {
		return nil, err
	}
	ob := &observer{
		o: o, scope: s, ledger: api, log: o.Log, tree: tree, started: o.Env.Now().UTC().Round(0),
		named: map[string]bool{}, retry: map[string]bool{},
	}
	if rel, err := filepath.Rel(s.root, state); err == nil && filepath.IsLocal(rel) {
		ob.state = filepath.ToSlash(rel)
	}
	ob.dirs = newDirectories(s.root, tree, o)
	return ob, nil
}

func (ob *observer) close() {
	if ob.ticker != nil {
		ob.ticker.Stop()
	}
	if err := ob.dirs.close(); err != nil {
		ob.log.Warn("file watcher", "error", err)
	}
	_ = ob.tree.Close() // only read
}

func (ob *observer) now() time.Time { return ob.o.Env.Now().UTC().Round(0) }

// loop handles events until ctx ends.
func (ob *observer) loop(ctx context.Context, updates <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		now := ob.o.Env.Now()
		wait, some := ob.due.next(now)
		heard := updates
		if rest := ob.rested.Sub(now); rest > 0 {
			heard = nil
			if !some || rest < wait {
				wait, some = rest, true
			}
		}
		ripe := timer.C
		if timer.Reset(wait); !some {
			ripe = nil
		}
		ob.o.Pulse.Rest()
		select {
		case <-ctx.Done():
		case e := <-ob.dirs.events():
			ob.o.Pulse.Beat()
			ob.event(e)
			ob.drain()
		case <-heard:
			ob.o.Pulse.Beat()
			began := ob.o.Env.Now()
			ob.refresh(ctx)
			end := ob.o.Env.Now()
			ob.rested = end.Add(max(breath, (share-1)*end.Sub(began)))
		case <-ripe:
			ob.o.Pulse.Beat()
			ob.flush(ctx)
		case <-ob.ticks():
			ob.o.Pulse.Beat()
			ob.tick(ctx)
		}
	}
}

// drain handles the waiting events.
func (ob *observer) drain() {
	for range maxDrain {
		select {
		case e := <-ob.dirs.events():
			ob.event(e)
		default:
			return
		}
	}
}

// event records that a path may have changed.
func (ob *observer) event(e watch.Event) {
	if e.Rescan {
		ob.rescan()
		return
	}
	rel, err := filepath.Rel(ob.scope.root, e.Path)
	if err != nil || !filepath.IsLocal(rel) {
		return
	}
	if name := filepath.ToSlash(rel); !ob.barred(name) && !ob.due.add(name, ob.o.Env.Now()) {
		ob.due = due{braked: ob.due.braked}
		ob.rescan()
	}
}

// barred reports whether a path is never observed: git's own files, the ledger's, the root itself, files of other trees,
// and names that the ledger cannot store.
func (ob *observer) barred(name string) bool {
	return name == "." || !ob.scope.covers(name) || strings.Contains("/"+name+"/", "/.git/") ||
		ob.state != "" && (name == ob.state || strings.HasPrefix(name, ob.state+"/")) ||
		len(name) > changes.MaxPath || !utf8.ValidString(name) || strings.ContainsAny(name, "\x00\n")
}

// rescan makes everything due that differs from what was last seen.
func (ob *observer) rescan() {
	for name := range ob.dirs.all {
		ob.scan(name)
	}
}

// scan makes due what differs in one directory, and returns how many entries it examined.
func (ob *observer) scan(name string) int {
	ob.o.Pulse.Beat()
	bases, looked := ob.dirs.differing(name)
	for _, base := range bases {
		if p := path.Join(name, base); !ob.barred(p) {
			ob.due.add(p, ob.o.Env.Now()) // a path that is not accepted is found by the next scan
		}
	}
	return looked
}

// ticks returns the channel of ticks while there is anything to poll or to retry.
func (ob *observer) ticks() <-chan time.Time {
	needed := ob.dirs.polled > 0 || ob.again || len(ob.retry) > 0
	switch {
	case ob.o.Tick != nil:
		return ob.o.Tick
	case needed && ob.ticker == nil:
		ob.ticker = time.NewTicker(limits.Poll)
	case !needed && ob.ticker != nil:
		ob.ticker.Stop()
		ob.ticker, ob.round = nil, time.Time{}
	}
	if ob.ticker == nil {
		return nil
	}
	return ob.ticker.C
}

// tick polls directories, a bounded number of entries at a time, and retries what failed, watching among it.
func (ob *observer) tick(ctx context.Context) {
	if ob.again {
		ob.refresh(ctx)
	}
	for name := range ob.retry {
		ob.due.add(name, ob.o.Env.Now())
	}
	clear(ob.retry)
	if len(ob.polls) == 0 {
		for name, dir := range ob.dirs.all {
			if dir.polled {
				ob.polls = append(ob.polls, name)
			}
		}
		now := ob.now()
		if !ob.round.IsZero() {
			ob.dirs.watcher.Polls(now.Sub(ob.round))
		}
		ob.round = now
	}
	for looked := 0; looked < pollMost && len(ob.polls) > 0; {
		name := ob.polls[0]
		ob.polls = ob.polls[1:]
		if dir := ob.dirs.all[name]; dir != nil {
			ob.dirs.watch(name, dir) // before it is looked at, so that nothing is missed between
			looked += ob.scan(name)
		}
	}
}

// refresh requests the files that sessions touched since the last call, watches their directories and examines the files
// themselves.
func (ob *observer) refresh(ctx context.Context) {
	if !ob.usable() {
		return
	}
	resp, err := ob.ledger.Touched(ctx, ledger.TouchedRequest{Tree: ob.scope.tree, After: ob.cursor})
	if err == nil && resp.Erased != ob.erased {
		ob.erased = resp.Erased
		ob.forget()
		resp, err = ob.ledger.Touched(ctx, ledger.TouchedRequest{Tree: ob.scope.tree})
	}
	if err != nil {
		ob.fail(ctx, err)
		return
	}
	ob.again = false
	if len(ob.named)+len(resp.Files) > maxNamed {
		clear(ob.named)
	}
	files := slices.DeleteFunc(resp.Files, func(f ledger.TouchedFile) bool { return ob.barred(f.Path) })
	ob.enter(files)
	b := batch{ob: ob}
	all := true
	for _, f := range files {
		ob.o.Pulse.Beat()
		ob.named[f.Path] = true
		all = ob.meet(ctx, &b, f) && all
	}
	switch sent := b.send(ctx); {
	case !all:
		ob.again = true
	case sent:
		ob.cursor = resp.Next
	}
}

// enter watches the directories of files, with priority for the first in the list.
func (ob *observer) enter(files []ledger.TouchedFile) {
	ob.dirs.evict(0) // more trees may share the watches than before
	var names []string
	known := map[string]bool{}
	for _, f := range files {
		if dir := path.Dir(f.Path); !known[dir] && len(names) < ob.dirs.most() {
			known[dir] = true
			names = append(names, dir)
		}
	}
	for _, name := range slices.Backward(names) {
		ob.o.Pulse.Beat()
		ob.dirs.enter(name)
	}
}

// usable reports whether the tree is still the one at its root. A replaced tree is opened again; while there is none, its
// files are not deleted but unknown.
func (ob *observer) usable() bool {
	if !ob.tree.Replaced() {
		return true
	}
	tree, err := safefs.Open(ob.scope.root)
	if err != nil {
		ob.again = true
		return false
	}
	_ = ob.tree.Close() // only read
	ob.tree, ob.dirs.tree = tree, tree
	for name := range ob.dirs.all {
		ob.dirs.leave(name)
	}
	ob.due, ob.cursor, ob.again = due{}, 0, true
	return true
}

// forget drops every path that it remembers, because some may have been forgotten. What sessions touched is asked for anew.
func (ob *observer) forget() {
	clear(ob.named)
	clear(ob.retry)
	for name := range ob.dirs.all {
		ob.dirs.leave(name)
	}
	ob.due, ob.polls, ob.cursor = due{}, nil, 0
}

// fail records that the ledger did not answer; the observations are sent again.
func (ob *observer) fail(ctx context.Context, err error) {
	if ctx.Err() == nil && !ob.again {
		ob.log.Warn("observed changes cannot be recorded yet", "error", err)
	}
	ob.cursor, ob.again = 0, true
}

// rules returns what git ignores now.
func (ob *observer) rules() *ignore.Rules {
	return ignore.New(func(name string) []byte { return ob.tree.Read(name, ignore.FileSize) })
}
