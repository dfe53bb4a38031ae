package watch

import (
	"errors"
	"io/fs"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"ctxledger.dev/internal/fault"
)

// Event says that something may have changed. With Rescan events were lost: every path in every
// watched directory may have changed, and Path is empty.
type Event struct {
	Path   string // a directory that was added, or an entry of one, named as in Add
	Rescan bool
}

// Watcher watches directories. Its methods are safe for concurrent use.
type Watcher struct {
	system *fsnotify.Watcher
	events chan Event
	done   chan struct{} // closed by Close
	ended  chan struct{} // closed when the goroutine has ended
	once   sync.Once
}

// New starts a watcher. Errors: limited when the system has no more watchers to give.
func New() (*Watcher, error) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, coded("watch.new", "", err)
	}
	w := &Watcher{
		system: system,
		events: make(chan Event),
		done:   make(chan struct{}),
		ended:  make(chan struct{}),
	}
	go w.run()
	return w, nil
}

// Add watches the entries of one directory; adding it again changes nothing. Changes from the
// moment that Add returns lead to events, so look at the directory afterwards, not before.
// Errors: not_found, denied, limited when the system's number of watches is used up (then
// poll that directory), unavailable after Close.
func (w *Watcher) Add(dir string) error { return coded("watch.add", dir, w.system.Add(dir)) }

// Remove ends the watch of a directory. Removing one that is not watched changes nothing.
func (w *Watcher) Remove(dir string) {
	_ = w.system.Remove(dir) // the only errors are "not watched" and "gone", both wished for
}

// Events returns the channel of events. It is closed by Close, and by nothing else.
func (w *Watcher) Events() <-chan Event { return w.events }

// Close ends all watches and returns when the watcher's goroutine has ended.
func (w *Watcher) Close() error {
	var err error
	w.once.Do(func() {
		close(w.done)
		err = w.system.Close()
	})
	<-w.ended
	return coded("watch.close", "", err)
}

// run moves the system's events into the queue, always ready to receive so that the system's
// queue does not overflow, and from there to the reader of Events.
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
		case e, ok := <-w.system.Events:
			if !ok {
				return
			}
			if e.Op != fsnotify.Chmod { // permissions and times alone are no change of content
				q.add(e.Name)
			}
		case _, ok := <-w.system.Errors:
			if !ok {
				return
			}
			q.lost() // an overflow, in most cases: events are missing
		case out <- next:
			q.pop()
		case <-w.done:
			return
		}
	}
}

// coded gives a foreign error its code.
func coded(op, dir string, err error) error {
	code := fault.Internal
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsnotify.ErrNonExistentWatch):
		code = fault.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = fault.Denied
	case errors.Is(err, fsnotify.ErrClosed):
		code = fault.Unavailable
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return &fault.Error{
			Code: fault.Limited, Op: op, Err: err, Message: "the system's number of file watches is used up",
			Hint: "raise fs.inotify.max_user_watches or fs.inotify.max_user_instances",
		}
	}
	if dir == "" {
		return fault.Wrap(code, op, err)
	}
	return &fault.Error{Code: code, Op: op, Message: "watch " + dir, Err: err}
}
