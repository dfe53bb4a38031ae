package observe

import (
	"context"
	"maps"
	"path"
	"slices"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/ignore"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
)

const (
	// maxHash is the largest file that is hashed, in bytes; of larger files size and time are compared.
	maxHash = 16 << 20
	// clockSkew is how far the clock of a file system may be ahead of ours.
	clockSkew = time.Second
	// batchLen is how many observations are sent at once.
	batchLen = 200
)

// flush examines the ready paths.
func (ob *observer) flush(ctx context.Context) {
	if !ob.usable() {
		return
	}
	ripe := ob.due.take(ob.o.Env.Now())
	if len(ripe) == 0 {
		return
	}
	b := batch{ob: ob, rules: ob.rules()}
	rest := slices.Sorted(maps.Keys(ripe))
	for _, vanished := range []bool{true, false} { // a directory that was moved leaves before it comes
		rest = slices.DeleteFunc(rest, func(name string) bool {
			ob.o.Pulse.Beat()
			info, err := ob.tree.Stat(name)
			if err != nil {
				ob.unreadable(name, err)
				return true
			}
			if vanished != (info.Kind == safefs.Absent || info.Kind == safefs.Other) {
				return false
			}
			ob.examine(ctx, &b, name, info, ripe[name])
			return true
		})
	}
	b.send(ctx)
}

// unreadable handles an error of a single path: it is retried unless access was denied.
func (ob *observer) unreadable(name string, err error) {
	if !fault.Is(err, fault.Denied) {
		ob.retry[name] = true
	}
	ob.log.Debug("file cannot be inspected", "path", name, "error", err)
}

// examine examines the path of an event.
func (ob *observer) examine(ctx context.Context, b *batch, name string, info safefs.Info, noticed time.Time) {
	parent := ob.dirs.all[path.Dir(name)]
	if info.Kind == safefs.Dir {
		if parent != nil && parent.has(path.Base(name)) && (ob.named[name] || !b.rules.Ignored(name, false)) {
			b.add(ctx, look{name: name, info: info, noticed: noticed}) // it was a file
		}
		ob.examineDir(b, parent, name, info)
		return
	}
	if parent != nil {
		delete(parent.subs, path.Base(name))
	}
	for _, file := range ob.dirs.gone(name) {
		b.add(ctx, look{
			name: file, info: safefs.Info{Kind: safefs.Absent}, noticed: noticed,
			had: changes.State{Tree: ob.scope.tree, Path: file, Exists: true},
		})
	}
	if parent == nil || b.rules.Ignored(name, false) && !ob.named[name] {
		return
	}
	b.look(ctx, name, noticed) // even where size and time are as before: another file may have been moved here
}

// examineDir examines the directory of an event: it may be new, or have replaced another one.
func (ob *observer) examineDir(b *batch, parent *directory, name string, info safefs.Info) {
	if ob.dirs.all[name] != nil {
		ob.dirs.rewatch(name)
		ob.scan(name)
		return
	}
	if parent == nil || info.Link || b.rules.Ignored(name, true) {
		return
	}
	if _, known := parent.subs[path.Base(name)]; known {
		return
	}
	parent.subs[path.Base(name)] = struct{}{}
	if ob.dirs.grow(name) {
		ob.scan(name)
	}
}

// meet examines a file that a session has touched, and reports whether that was possible: a file that can never be read
// counts as done.
func (ob *observer) meet(ctx context.Context, b *batch, f ledger.TouchedFile) bool {
	info, err := ob.tree.Stat(f.Path)
	if err != nil {
		return fault.Is(err, fault.Denied)
	}
	exists := info.Kind == safefs.File
	if f.Known && f.Exists == exists && (f.Text == "") == (f.Hash == "") && // earlier versions left out Text
		(!exists || f.Size == info.Size && f.Modified.UnixNano() == info.Modified) {
		sums := safefs.Sums{Bytes: f.Hash, Text: f.Text}
		b.add(ctx, look{name: f.Path, info: info, sums: sums, large: f.Large})
		return true
	}
	return b.look(ctx, f.Path, time.Time{})
}

// look is what was found at a path.
type look struct {
	name    string
	info    safefs.Info
	sums    safefs.Sums
	large   bool
	noticed time.Time
	seen    time.Time
	had     changes.State // what it was before, where that is known otherwise than by its directory
}

// batch collects observations to send them together.
type batch struct {
	ob     *observer
	rules  *ignore.Rules
	looks  []look
	states []ledger.Observation
	failed bool
}

// look reads a file and adds its state. It reports whether that was possible, or never will be.
func (b *batch) look(ctx context.Context, name string, noticed time.Time) bool {
	sums, info, err := b.ob.tree.Hash(name, maxHash)
	if err != nil {
		b.ob.unreadable(name, err)
		return fault.Is(err, fault.Denied)
	}
	large := info.Kind == safefs.File && sums == (safefs.Sums{})
	b.add(ctx, look{name: name, info: info, sums: sums, large: large, noticed: noticed})
	return true
}

// add adds an observation, unless there still is not a file.
func (b *batch) add(ctx context.Context, l look) {
	st := l.state(b.ob.scope.tree)
	if l.seen = b.ob.now(); st.Modified.After(l.seen) && st.Modified.Sub(l.seen) < clockSkew {
		l.seen = st.Modified
	}
	before := b.ob.before(l, st)
	if !st.Exists && before == nil && !b.ob.named[l.name] && l.had.Path == "" {
		return
	}
	b.looks = append(b.looks, l)
	b.states = append(b.states, ledger.Observation{State: st, Seen: l.seen, Noticed: l.noticed, Before: before})
	if len(b.looks) >= batchLen {
		b.send(ctx)
	}
}

// state returns what was found in a tree as the ledger keeps it. Only regular files exist.
func (l look) state(tree string) changes.State {
	st := changes.State{Tree: tree, Path: l.name}
	if l.info.Kind == safefs.File {
		st.Exists, st.Size, st.Modified = true, l.info.Size, time.Unix(0, l.info.Modified).UTC()
		st.Hash, st.Text, st.Large = l.sums.Bytes, l.sums.Text, l.large
	}
	return st
}

// before returns what the observer last saw of a file, nil when it has not changed.
func (ob *observer) before(l look, now changes.State) *changes.State {
	if l.had.Path != "" {
		return &l.had
	}
	dir := ob.dirs.all[path.Dir(l.name)]
	if dir == nil {
		return nil
	}
	s, had := dir.files[path.Base(l.name)]
	switch {
	case had:
		was := changes.State{
			Tree: ob.scope.tree, Path: l.name, Exists: true, Size: s.size,
			Modified: time.Unix(0, s.modified).UTC(), Since: time.Unix(0, s.looked).UTC(),
		}
		if now.Exists && was.Size == now.Size && was.Modified.Equal(now.Modified) {
			return nil
		}
		return &was
	case dir.whole && now.Exists:
		return &changes.State{Tree: ob.scope.tree, Path: l.name, Since: dir.listed.UTC()}
	}
	return nil
}

// send sends what was collected, and reports whether the whole batch was recorded so far.
func (b *batch) send(ctx context.Context) bool {
	if len(b.states) == 0 {
		return !b.failed
	}
	ob := b.ob
	r := ledger.RecordStatesRequest{Tree: ob.scope.tree, Started: ob.started, States: b.states}
	resp, err := ob.ledger.RecordStates(ctx, r)
	if err != nil {
		ob.fail(ctx, err)
		b.failed = true
	}
	for _, l := range b.looks {
		switch {
		case err == nil:
			ob.note(l)
		case ob.dirs.all[path.Dir(l.name)] != nil:
			ob.retry[l.name] = true
		}
	}
	for _, c := range resp.Changes {
		ob.due.changed(c.Path, ob.o.Env.Now())
	}
	b.looks, b.states = nil, nil
	return !b.failed
}

// note remembers what the ledger has now.
func (ob *observer) note(l look) {
	dir := ob.dirs.all[path.Dir(l.name)]
	if dir == nil {
		return
	}
	if l.info.Kind != safefs.File {
		ob.dirs.note(dir, path.Base(l.name), nil)
		return
	}
	ob.dirs.note(dir, path.Base(l.name), &stamp{l.info.Size, l.info.Modified, l.seen.UnixNano()})
}
