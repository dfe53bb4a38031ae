package watch

// queueLen is how many different paths wait for a slow reader before the queue requests a rescan instead: about one
// checkout of a large branch.
const queueLen = 4096

// queue holds the unread events, each path once, in order of their first event.
type queue struct {
	paths  []string
	known  map[string]struct{}
	rescan bool
}

// add notes that path may have changed.
func (q *queue) add(path string) {
	if q.rescan {
		return // a rescan covers every path
	}
	if _, ok := q.known[path]; ok {
		return
	}
	if len(q.paths) >= queueLen {
		q.lost()
		return
	}
	if q.known == nil {
		q.known = map[string]struct{}{}
	}
	q.known[path] = struct{}{}
	q.paths = append(q.paths, path)
}

// lost records that events are missing: a rescan replaces the waiting ones.
func (q *queue) lost() { *q = queue{rescan: true} }

// head returns the event to send next, and whether there is one.
func (q *queue) head() (Event, bool) {
	switch {
	case q.rescan:
		return Event{Rescan: true}, true
	case len(q.paths) > 0:
		return Event{Path: q.paths[0]}, true
	default:
		return Event{}, false
	}
}

// pop removes the event that head returned.
func (q *queue) pop() {
	if q.rescan {
		*q = queue{}
		return
	}
	delete(q.known, q.paths[0])
	q.paths = q.paths[1:]
	if len(q.paths) == 0 {
		q.paths = nil // release the array
	}
}
