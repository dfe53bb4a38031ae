package watch

import (
	"path/filepath"
	"sync"
	"time"
)

// Event says that something may have changed. With Rescan events were lost: every path in every
// watched directory may have changed, and Path is empty.
type Event struct {
	Path   string // a directory that was added, or an entry of one, named as in Add
	Rescan bool
}

// Watcher watches directories for one part of a program. Its methods are safe for concurrent use.
type Watcher struct {
	shared *Shared
	in     chan Event // from Shared
	events chan Event
	done   chan struct{} // closed by Close
	ended  chan struct{} // closed when the goroutine has ended
	once   sync.Once

	names map[string]*target // guarded by the locks of shared, as its tables are; what is watched
	every time.Duration      // guarded by shared.mu; see Polls
}

// Add watches the entries of one directory; adding it again changes nothing. Changes from the
// moment that Add returns lead to events, so look at the directory afterwards, not before.
// Errors: not_found, denied, limited when the system's number of watchers or watches is used up (then
// poll that directory, and add it again from time to time), unavailable after Close.
func (w *Watcher) Add(dir string) error {
	sub := subscription{w, filepath.Clean(dir)}
	orphans, err := w.shared.add(sub, false)
	w.shared.adopt(orphans, sub)
	return err
}

// Remove ends the watch of a directory. Removing one that is not watched changes nothing.
func (w *Watcher) Remove(dir string) {
	s, sub := w.shared, subscription{w, filepath.Clean(dir)}
	s.order.Lock()
	defer s.order.Unlock()
	if !w.closed() {
		s.detach(sub)
		s.note(sub, nil)
	}
}

// Polls says how long it takes at present from one look at what cannot be watched to the next, for Shared.Polled.
func (w *Watcher) Polls(every time.Duration) {
	w.shared.mu.Lock()
	defer w.shared.mu.Unlock()
	w.every = every
}

// Events returns the channel of events. It is closed by Close, and by nothing else.
func (w *Watcher) Events() <-chan Event { return w.events }

// Close ends all watches and returns when the watcher's goroutine has ended.
func (w *Watcher) Close() error {
	var err error
	w.once.Do(func() {
		close(w.done) // from here on it takes no event, and holds nobody up
		err = w.shared.forget(w)
	})
	<-w.ended
	return coded("watch.close", "", err)
}

// closed reports whether Close was called.
func (w *Watcher) closed() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// hand gives the watcher an event, unless it is closed.
func (w *Watcher) hand(e Event) {
	select {
	case w.in <- e:
	case <-w.done:
	}
}

// run moves events into the queue, always ready to receive so that no other watcher waits and the system's queue does
// not overflow, and from there to the reader of Events.
func (w *Watcher) run() {
	defer close(w.ended)
	defer close(w.events)
	var q queue
	for {
		next, some := q.head()
		out := w.events
		if !some {
			out = nil // nothing to send: a nil channel is never ready
		}
		select {
		case e := <-w.in:
			if e.Rescan {
				q.lost()
			} else {
				q.add(e.Path)
			}
		case out <- next:
			q.pop()
		case <-w.done:
			return
		}
	}
}
