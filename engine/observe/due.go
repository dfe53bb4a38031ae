package observe

import "time"

// When a path is examined after a notification from the system.
const (
	quiet   = 100 * time.Millisecond // after its last event: editors write a file in several steps
	longest = time.Second            // after its first event, however many follow
)

// A file that changes continuously (a log) is examined less and less often.
const (
	freeLooks  = 8               // changes in a row without a delay
	brake      = time.Second     // after the next one; doubled with each further one
	maxBrake   = time.Minute     // at most
	calm       = 2 * time.Minute // without a change, after which the delay is reset
	maxBraked  = 1024            // files that are remembered for it
	maxWaiting = 8192            // waiting paths; above it, directories are scanned
)

// due holds the paths that wait to be examined until they have been quiet for a moment.
type due struct {
	waiting map[string]waiting
	braked  map[string]braked
}

// waiting is a path with the times of its first and last event.
type waiting struct{ first, last time.Time }

// braked counts the changes of one file in a row.
type braked struct {
	changes int
	last    time.Time
}

// add records an event of a path, and reports whether the path was accepted: their number is bounded.
func (d *due) add(path string, now time.Time) bool {
	if d.waiting == nil {
		d.waiting = map[string]waiting{}
	}
	w, known := d.waiting[path]
	if !known {
		if len(d.waiting) >= maxWaiting {
			return false
		}
		w.first = now
	}
	w.last = now
	d.waiting[path] = w
	return true
}

// at returns when a waiting path is ready.
func (d *due) at(path string, w waiting) time.Time {
	ripe := w.last.Add(quiet)
	if most := w.first.Add(longest); most.Before(ripe) {
		ripe = most
	}
	if b := d.braked[path]; b.changes > freeLooks {
		hold := min(brake<<min(b.changes-freeLooks-1, 16), maxBrake)
		if until := b.last.Add(hold); until.After(ripe) {
			ripe = until
		}
	}
	return ripe
}

// next returns how long it is until the next path is ready, and whether any waits.
func (d *due) next(now time.Time) (time.Duration, bool) {
	soonest, some := time.Duration(0), false
	for path, w := range d.waiting {
		if in := max(d.at(path, w).Sub(now), 0); !some || in < soonest {
			soonest, some = in, true
		}
	}
	return soonest, some
}

// take removes the ready paths and returns them with the times of their first events.
func (d *due) take(now time.Time) map[string]time.Time {
	ripe := map[string]time.Time{}
	for path, w := range d.waiting {
		if !d.at(path, w).After(now) {
			ripe[path] = w.first
			delete(d.waiting, path)
		}
	}
	return ripe
}

// changed counts a change of a file.
func (d *due) changed(path string, now time.Time) {
	if d.braked == nil || len(d.braked) >= maxBraked {
		d.braked = map[string]braked{}
	}
	b := d.braked[path]
	if now.Sub(b.last) > calm {
		b.changes = 0
	}
	d.braked[path] = braked{b.changes + 1, now}
}
