package watch

import (
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// Options of a Shared. All fields may be empty.
type Options struct {
	// Log gets a warning when a limit of the system keeps files from being watched, and an information when none does any
	// longer; nil: nothing is logged.
	Log *slog.Logger
	// Now is the clock; nil: a system that refused is asked again each time.
	Now func() time.Time
}

// Shared is what the Watchers of a process have in common: one watcher of the system, which exists while there are
// any and the system gives it. Its methods are safe for concurrent use.
type Shared struct {
	log *slog.Logger
	now func() time.Time

	// order is held during calls of the system, which may wait until events are received: whoever receives them takes mu alone.
	order   sync.Mutex
	refused refusal       // guarded by order; of the system's watcher
	full    refusal       // guarded by order; of another directory
	warned  bool          // guarded by order; the log says that files are polled
	ended   chan struct{} // guarded by order; closed when nothing of system is distributed any more

	homeless map[subscription]bool // guarded by order; what lost its target and is to be added again

	mu       sync.Mutex
	system   *fsnotify.Watcher         // guarded by both, to write; nil: there is none
	watchers map[*Watcher]struct{}     // guarded by both, to write
	targets  table                     // guarded by both, to write
	missed   map[subscription]struct{} // guarded by both, to write; what a limit keeps from being watched
	limit    string                    // guarded by both, to write; the newest one that was met, as a message
}

// refusal is a limit that was met, and when. The zero value is none.
type refusal struct {
	err  error
	when time.Time
}

// NewShared returns what the Watchers of a process share. It holds nothing of the system as long as it has none.
func NewShared(o Options) *Shared {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Shared{log: o.Log, now: o.Now, watchers: map[*Watcher]struct{}{}, targets: newTable(),
		homeless: map[subscription]bool{}, missed: map[subscription]struct{}{}}
}

// Polled says that files are polled because a limit of the system is reached.
type Polled struct {
	Why   string        // the limit, and which setting raises it
	Every time.Duration // the longest time from one look at a file to the next
}

// Polled reports whether a limit of the system keeps directories from being watched that some Watcher was asked to watch.
func (s *Shared) Polled() (Polled, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.missed) == 0 {
		return Polled{}, false
	}
	p := Polled{Why: s.limit, Every: limits.Poll}
	for m := range s.missed {
		p.Every = max(p.Every, m.watcher.every)
	}
	return p, true
}

// New starts a Watcher. Where the system has no watcher to give its Add fails.
func (s *Shared) New() *Watcher {
	w := &Watcher{shared: s, in: make(chan Event), events: make(chan Event), done: make(chan struct{}),
		ended: make(chan struct{}), names: map[string]*target{}}
	s.order.Lock()
	defer s.order.Unlock()
	s.mu.Lock()
	s.watchers[w] = struct{}{}
	s.mu.Unlock()
	go w.run()
	return w
}

// instance returns the watcher of the system. The caller holds order.
func (s *Shared) instance() (*fsnotify.Watcher, error) {
	if s.system != nil {
		return s.system, nil
	}
	if s.lasts(s.refused) {
		return nil, s.refused.err
	}
	system, err := fsnotify.NewWatcher()
	if err != nil {
		err = coded("watch.new", "", err)
		s.refused = s.refusal(err)
		return nil, err
	}
	s.refused = refusal{}
	s.ended = make(chan struct{})
	s.mu.Lock()
	s.system = system
	s.mu.Unlock()
	go s.distribute(system, s.ended)
	return system, nil
}

// refusal returns what the system refuses now.
func (s *Shared) refusal(err error) refusal {
	if s.now == nil {
		return refusal{}
	}
	return refusal{err, s.now()}
}

// lasts reports whether it is too soon to ask again.
func (s *Shared) lasts(r refusal) bool {
	return r.err != nil && s.now().Sub(r.when) < limits.WatchRetry
}

// release ends the watcher of the system if nobody needs it. The caller holds order.
func (s *Shared) release() error {
	if len(s.watchers) > 0 || s.system == nil {
		return nil
	}
	err := s.system.Close()
	<-s.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	s.system, s.targets = nil, newTable()
	s.full = refusal{}
	return err
}

// distribute hands the system's events to the Watchers, each of which is always ready, until the system's watcher is
// closed.
func (s *Shared) distribute(system *fsnotify.Watcher, ended chan<- struct{}) {
	defer close(ended)
	var to []delivery
	for {
		select {
		case e, ok := <-system.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				continue // permissions and times alone are no change of content
			}
			to = s.recipients(to[:0], filepath.Clean(e.Name))
		case _, ok := <-system.Errors:
			if !ok {
				return
			}
			to = s.everybody(to[:0]) // an overflow, in most cases: events are missing
		}
		for _, d := range to {
			d.watcher.hand(d.event)
		}
	}
}

// delivery is an event for one Watcher.
type delivery struct {
	watcher *Watcher
	event   Event
}

// recipients adds who watches a path, or the directory it is in, each under its own name.
func (s *Shared) recipients(to []delivery, path string) []delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.targets.byPath[path]; t != nil {
		for sub := range t.names {
			to = append(to, delivery{sub.watcher, Event{Path: sub.name}})
		}
	}
	if t := s.targets.byPath[filepath.Dir(path)]; t != nil && path != filepath.Dir(path) {
		for sub := range t.names {
			to = append(to, delivery{sub.watcher, Event{Path: filepath.Join(sub.name, filepath.Base(path))}})
		}
	}
	return to
}

// everybody adds a rescan for every Watcher.
func (s *Shared) everybody(to []delivery) []delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		to = append(to, delivery{w, Event{Rescan: true}})
	}
	return to
}

// note records how it went to watch a directory, and logs when polling begins or ends. The caller holds order.
func (s *Shared) note(sub subscription, err error) {
	s.mu.Lock()
	if met := (*fault.Error)(nil); errors.As(err, &met) && met.Code == fault.Limited {
		s.missed[sub], s.limit = struct{}{}, met.Message
	} else {
		delete(s.missed, sub)
	}
	polled := len(s.missed) > 0
	s.mu.Unlock()
	switch {
	case polled && !s.warned:
		s.log.Warn("not all files can be watched: polling", "error", err.Error(), "every", limits.Poll.String(),
			"retried", limits.WatchRetry.String())
	case !polled && s.warned:
		s.log.Info("all files can be watched again")
	}
	s.warned = polled
}
