package live

import (
	"context"
	"slices"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// kept is how long a session without activity is still shown: its agent may go on at any time.
const kept = 12 * time.Hour

// choose returns the session to follow, nil for none, and how many other sessions are live. It stays with a session
// while that is live, so that two agents at work do not take turns on the screen.
func (w *watcher) choose(ctx context.Context) (*sessions.Session, int, error) {
	page, err := w.api.Sessions(ctx, ledger.SessionsRequest{})
	if err != nil {
		return nil, 0, err
	}
	w.lookAround()
	now := w.o.Env.Now()
	recent := slices.DeleteFunc(page.Sessions, func(s sessions.Session) bool {
		return !s.Main() || s.Unused() && !w.isNear(s) || now.Sub(s.Updated) >= kept
	})
	live := 0
	for _, s := range recent {
		if s.Live(now) {
			live++
		}
	}
	s, err := w.pinned(ctx)
	if s == nil && err == nil {
		s = w.best(recent, now)
	}
	if s != nil && s.Live(now) {
		live--
	}
	return s, live, err
}

// pinned returns the session that the user chose; nil for none, or if it was forgotten.
func (w *watcher) pinned(ctx context.Context) (*sessions.Session, error) {
	if w.o.Pinned == "" {
		return nil, nil
	}
	s, err := w.api.Session(ctx, ledger.SessionRequest{Name: w.o.Pinned})
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return &s, err
}

// hosted is a session by the names of its host.
type hosted struct{ host, id string }

// lookAround asks which sessions work in terminals of this window.
func (w *watcher) lookAround() {
	w.near = map[hosted]bool{}
	if w.o.Near == nil {
		return
	}
	for _, n := range w.o.Near() {
		key := hosted{n.Host, n.ID}
		w.near[key] = w.near[key] || n.Active
	}
}

// isNear reports whether a session works in a terminal of this window.
func (w *watcher) isNear(s sessions.Session) bool {
	_, near := w.near[hosted{s.Host, s.HostID}]
	return near
}

// best returns the session to follow of those with recent activity, which are in order, the newest first: one in a
// terminal of this window before others, and that in the active terminal before those; a live one before an idle one,
// one of this tree before those of other trees of the repository, the one that is followed already before newer ones.
func (w *watcher) best(recent []sessions.Session, now time.Time) *sessions.Session {
	worth := func(s sessions.Session) (n int) {
		if w.near[hosted{s.Host, s.HostID}] {
			n += 16
		}
		if w.isNear(s) {
			n += 8
		}
		if s.Live(now) {
			n += 4
		}
		if s.Tree == "" || s.Tree == w.o.Tree {
			n += 2
		}
		if w.reader != nil && w.reader.session.ID == s.ID && s.Live(now) {
			n++
		}
		return n
	}
	var best *sessions.Session
	for i := range recent {
		if s := &recent[i]; best == nil || worth(*s) > worth(*best) {
			best = s
		}
	}
	return best
}
