package watch

import (
	"os"

	"github.com/fsnotify/fsnotify"

	"ctxledger.dev/internal/fault"
)

// target is a directory that the system watches.
type target struct {
	path  string                    // as the system was told
	id    identity                  // of the directory; zero where the system has none
	names map[subscription]struct{} // whose it is, and under which names
}

// subscription is a directory as one Watcher names it.
type subscription struct {
	watcher *Watcher
	name    string
}

// table finds targets. Two of them never have the same path, nor the same identity: Linux watches a directory once,
// whatever leads to it, and fsnotify names it as it was first told.
type table struct {
	byPath map[string]*target
	byID   map[identity]*target
}

func newTable() table { return table{map[string]*target{}, map[identity]*target{}} }

// enter adds a target.
func (t table) enter(x *target) {
	t.byPath[x.path] = x
	if x.id != (identity{}) {
		t.byID[x.id] = x
	}
}

// drop removes a target.
func (t table) drop(x *target) {
	delete(t.byPath, x.path)
	if t.byID[x.id] == x {
		delete(t.byID, x.id)
	}
}

// maxSwaps is how often a directory may be replaced while it is being watched, before it is left to the next attempt.
const maxSwaps = 8

// add watches a directory for one Watcher; adopted says that it did so before. It returns the subscriptions that have lost
// their target to it, because another directory than before is where the path leads. A file system that does not answer
// holds up nobody else: it is asked outside the locks.
func (s *Shared) add(sub subscription, adopted bool) (orphans []subscription, err error) {
	for range maxSwaps {
		info, err := os.Stat(sub.name)
		var id identity
		if err == nil {
			id = identify(info)
		}
		lost, err := s.attach(sub, id, err, adopted)
		orphans = append(orphans, lost...)
		if err != nil {
			return orphans, err
		}
		if after, err := os.Stat(sub.name); err == nil && identify(after) == id {
			return orphans, nil
		}
	}
	return orphans, nil // it changes all the time, and every change leads to an event
}

// attach is add for a directory that was just seen, or why it was not.
func (s *Shared) attach(sub subscription, id identity, unseen error, adopted bool) (orphans []subscription, err error) {
	s.order.Lock()
	defer s.order.Unlock()
	if sub.watcher.closed() {
		return nil, fault.New(fault.Unavailable, "watch.add", "watch %s: closed", sub.name)
	}
	if adopted && !s.homeless[sub] {
		return nil, nil // removed since, or added again
	}
	delete(s.homeless, sub)
	defer func() { s.note(sub, err) }()
	if unseen != nil {
		return nil, coded("watch.add", sub.name, unseen)
	}
	system, err := s.instance()
	if err != nil {
		return nil, err
	}
	t, orphans := s.find(system, sub.name, id)
	if err := s.ask(system, t); err != nil {
		return orphans, coded("watch.add", sub.name, err)
	}
	s.join(sub, t)
	return orphans, nil
}

// find returns the target of the directory at a path, a new one if need be, and the subscriptions of those that are in its
// way: they are not what their paths lead to any more.
func (s *Shared) find(system *fsnotify.Watcher, path string, id identity) (t *target, orphans []subscription) {
	if t = s.targets.byPath[path]; t != nil && t.id != id {
		orphans = s.orphan(system, t)
		t = nil
	}
	if other := s.targets.byID[id]; t == nil && other != nil {
		if info, err := os.Stat(other.path); err == nil && identify(info) == id {
			return other, orphans // two paths lead to it
		}
		orphans = append(orphans, s.orphan(system, other)...)
	}
	if t == nil {
		t = &target{path: path, id: id, names: map[subscription]struct{}{}}
	}
	return t, orphans
}

// ask has the system watch a target. One that it already watches is asked for again, since it ends the watch of a directory
// that is deleted or moved by itself.
func (s *Shared) ask(system *fsnotify.Watcher, t *target) error {
	isNew := s.targets.byPath[t.path] != t
	if isNew && s.lasts(s.full) {
		return s.full.err
	}
	if err := system.Add(t.path); err != nil {
		if limitOf("watch.add", err) != "" {
			s.full = s.refusal(err)
		}
		return err
	}
	if s.full = (refusal{}); isNew {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.targets.enter(t)
	}
	return nil
}

// join makes a subscription one of a target, and of no other.
func (s *Shared) join(sub subscription, t *target) {
	if sub.watcher.names[sub.name] == t {
		return
	}
	s.detach(sub)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.names[sub] = struct{}{}
	sub.watcher.names[sub.name] = t
}

// detach ends a subscription, and the system's watch when it was the last one. The caller holds order.
func (s *Shared) detach(sub subscription) {
	delete(s.homeless, sub)
	t := sub.watcher.names[sub.name]
	if t == nil {
		return
	}
	s.mu.Lock()
	delete(sub.watcher.names, sub.name)
	delete(t.names, sub)
	last := len(t.names) == 0
	s.mu.Unlock()
	if last {
		s.remove(s.system, t)
	}
}

// remove ends the system's watch of a target.
func (s *Shared) remove(system *fsnotify.Watcher, t *target) {
	_ = system.Remove(t.path) // the only errors are "not watched" and "gone", both wished for
	s.full = refusal{}        // there is room for another one
	s.mu.Lock()
	defer s.mu.Unlock()
	s.targets.drop(t)
}

// orphan ends the watch of a target whatever its subscriptions, and returns those.
func (s *Shared) orphan(system *fsnotify.Watcher, t *target) (subs []subscription) {
	s.mu.Lock()
	for sub := range t.names {
		subs = append(subs, sub)
		s.homeless[sub] = true
		delete(sub.watcher.names, sub.name)
	}
	clear(t.names)
	s.mu.Unlock()
	s.remove(system, t)
	return subs
}

// adopt watches what the names of subscriptions lead to by now, and tells their Watchers that it may be something else. It
// leaves alone the one for which this happened: its Watcher looks anyway.
func (s *Shared) adopt(orphans []subscription, by subscription) {
	for _, sub := range orphans {
		if sub == by {
			continue
		}
		more, err := s.add(sub, true)
		if err != nil {
			// Its Watcher looks, and adds it again.
			s.log.Debug("no longer watched", "dir", sub.name, "error", err.Error())
		}
		for _, o := range more { // paths change quicker than they can be followed
			o.watcher.hand(Event{Path: o.name})
		}
		sub.watcher.hand(Event{Path: sub.name})
	}
}

// forget ends all that a Watcher has.
func (s *Shared) forget(w *Watcher) error {
	s.order.Lock()
	defer s.order.Unlock()
	for name := range w.names {
		s.detach(subscription{w, name})
	}
	for sub := range s.homeless {
		if sub.watcher == w {
			delete(s.homeless, sub)
		}
	}
	s.mu.Lock()
	delete(s.watchers, w)
	for sub := range s.missed {
		if sub.watcher == w {
			delete(s.missed, sub)
		}
	}
	s.warned = len(s.missed) > 0
	s.mu.Unlock()
	return s.release()
}
